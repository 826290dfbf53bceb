package tq

import "time"

// Every limit of tq, in one place. All are inclusive: a value equal to the
// limit is accepted, one more is refused with an error that names the field.
// Sizes are bytes of UTF-8.
const (
	MaxPayload   = 131_072 // payload of a task, result of an attempt
	MaxError     = 131_072 // text of a failed attempt; longer text is cut, never refused
	MaxDetail    = 4_096   // detail of a fact, note of a progress report
	MaxNesting   = 128     // depth of arrays and objects in a payload or result
	MaxQueueName = 128     // name of a queue
	MaxTypeName  = 64      // type of a task
	MaxProject   = 128     // project of a task
	MaxKey       = 200     // idempotency key, claim id
	MaxTags      = 20      // per task
	MaxTag       = 64      // one tag
	MaxDeps      = 1_000   // per task
	MaxRights    = 100     // queues, or types, that one token names
	MaxQueues    = 10_000  // that were ever used; one more is refused with too_many
	MaxTokens    = 1_000   // access tokens, also those that have ended

	MaxBatch      = 1_000   // tasks in one enqueue, leases in one settle
	MaxBatchBytes = 8 << 20 // payloads of one enqueue
	MaxClaim      = 100     // tasks in one claim
	MaxPage       = 1_000   // rows in one page of a list
	MaxFilter     = 4_096   // text of a filter
	MaxBulkRate   = 10_000  // tasks in a second of a bulk operation

	MinPriority = -32_768 // last in its queue
	MaxPriority = 32_767  // first in its queue
	MaxAttempts = 1_000   // of a task

	MaxDelay   = 365 * 24 * time.Hour      // before a task, or its next attempt
	MaxTimeout = 7 * 24 * time.Hour        // of one attempt
	MaxExpiry  = 10 * 365 * 24 * time.Hour // of an access token
	MinLease   = time.Second               // of a claim or an extension
	MaxLease   = time.Hour                 // of a claim or an extension
	MaxWait    = 55 * time.Second          // how long a call may wait for something to happen

	// MaxReleases is how often in a row a task may be given back unburnt;
	// after that each release counts as an attempt (spec T8).
	MaxReleases = 20

	// MaxCascade is how many dependants one transaction settles; the sweep
	// takes the rest in bites of the same size (spec T2, T17).
	MaxCascade = 1_000

	// MaxKeepQueues is how many queues may have a retention of their own.
	MaxKeepQueues = 100

	// MaxDepthQueues is how many queues may have a depth of their own.
	MaxDepthQueues = 100

	// MaxOpen is the largest number of open tasks that a token or a queue can be
	// held to.
	MaxOpen = 1_000_000_000

	// MaxTree is how many descendants a task's tree counts are taken over.
	MaxTree = 10_000
)

// What a zero value stands for.
const (
	DefaultQueue       = "default"         // of a task that names none
	DefaultMaxAttempts = 3                 // of a task that does not say
	DefaultLease       = 300 * time.Second // leases asked for by hand, HTTP or MCP
	WorkerLease        = 30 * time.Second  // leases a Worker asks for; it extends them
	DefaultPage        = 50                // rows in a page of a list

	KeepEnded = 7 * 24 * time.Hour  // completed and cancelled tasks; dead ones are kept
	KeepFacts = 30 * 24 * time.Hour // a task's facts, counted from its deletion
)

// OutageGap is how long expiry may stand still before it counts as an outage
// that live workers are not to be punished for (spec S11).
const OutageGap = 2 * time.Second
