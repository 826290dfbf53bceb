// Package disk tries the stores on disks that lose their power and disks that
// fill up. Its tests mount file systems of their own, so they want Linux and
// root; they run in a mount namespace that is gone, with all that was mounted,
// when the test binary ends, however it ends.
package disk
