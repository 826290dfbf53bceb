package sqlite

import "testing"

func TestMountKindIsThatOfTheDeepestMount(t *testing.T) {
	t.Parallel()
	const mounts = `24 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 24 0:29 / /home/me/remote rw,nosuid shared:12 - fuse.sshfs me@host:/srv rw
32 24 0:30 / /home/me/two\040words rw shared:13 - fuse.rclone cloud: rw
33 31 0:31 / /home/me/remote/local rw - tmpfs tmpfs rw
`
	for dir, want := range map[string]string{
		"/srv":                   "ext4",
		"/home/me/remote":        "fuse.sshfs",
		"/home/me/remote/a/b":    "fuse.sshfs",
		"/home/me/remote-not":    "ext4",
		"/home/me/two words/x":   "fuse.rclone",
		"/home/me/remote/local/": "tmpfs",
	} {
		if got := mountKind(mounts, dir); got != want {
			t.Errorf("%s lies on %q, want %q", dir, got, want)
		}
	}
}

func TestALocalFolderIsNotOnTheNetwork(t *testing.T) {
	t.Parallel()
	if name := networkFS(t.TempDir()); name != "" {
		t.Errorf("the folder for tests lies on %s", name)
	}
}
