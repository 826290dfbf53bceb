// Package postgres keeps tasks in a schema of a PostgreSQL database, version 14
// or later, for workers on many machines.
//
// Shape: as in store/sqlite, the journal is the truth. The last fact of a task
// is its status and place, and (task_id, rev) is the fence: who read rev n
// writes n + 1, and of two only one can; the other reads again. Every change of
// a status is asked of tq.Next; no rule is written in SQL.
//
// Writing: a transaction begins with one statement that sets durability, takes
// the floor lock (floor.go), reads the clock and draws a number (tx.go). It
// reads the rows it needs, collects what becomes of them in memory (work.go)
// and writes all of it in one round trip. Who reads a fact of a higher number
// than its own draws again: the facts of a task stand in the order of their
// revs. Callers of Enqueue and Change that come together share a transaction
// (flush.go).
//
// Order of locks, always ascending within each: floor, grants, places, blocked
// children, keys.
package postgres
