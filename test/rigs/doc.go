// Package rigs tries the binary on several machines with a network between them
// that can be cut: network namespaces of the tests' own, on Linux and as root.
package rigs
