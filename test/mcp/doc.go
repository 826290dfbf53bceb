// Package mcp tries the door for agents with other people's programs: the
// official conformance suite, the official clients of both lines, the
// inspector, and a fleet of processes that die. They come from the npm registry,
// pinned in rig/package-lock.json.
package mcp
