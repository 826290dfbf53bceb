// Package storetest says what a tq.Store means, in tests that every engine
// runs: the conformance suite, the comparison with the memory model in
// lockstep, and the check of concurrent histories.
package storetest
