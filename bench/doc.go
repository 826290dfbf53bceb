// Package bench measures a queue: how many tasks a second go in and come out,
// how long each waits, and whether every one of them was delivered. It speaks
// tq.Client, so it measures an engine in process and a hub over HTTP alike.
//
// A scenario makes one or more measures, each in a queue of its own that is
// purged behind it. No measure counts before its tasks are accounted for: a
// Delivery says how many ran once, how many ran again and why, by the journal,
// and how many were lost.
package bench
