// Package tq is a durable task queue.
package tq
