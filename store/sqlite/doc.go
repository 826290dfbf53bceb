// Package sqlite keeps tasks in one SQLite file.
//
// Shape: the journal is the truth. The last fact of a task is its status and
// place; a waiting task is one narrow row in ready, delayed or blocked; a held
// one is its last fact and the grant of its claim (migrations/0001_init.sql
// says more). Claims look at lanes, one for each queue, type and project, and
// at nothing else.
//
// Writing: one goroutine owns one connection and runs the operations of all
// callers (writer.go), many in one transaction, and answers after the commit is
// on disk. Processes take turns through an OS lock on a file beside the
// database (lock.go). Every change of a status is asked of tq.Next inside that
// transaction; no rule is written in SQL.
//
// Reading: a small pool of read-only connections, each call one snapshot.
package sqlite
