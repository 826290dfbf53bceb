// Package test tries the whole binary: journeys in scripts/*.txtar, and a
// fan-out over workers that are killed. The test binary runs again as `tq`, so what
// is tried is what is built.
package test
