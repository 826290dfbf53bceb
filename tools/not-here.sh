#!/usr/bin/env bash
# not-here.sh: a pattern of the packages whose tests this machine cannot run,
# because they make network namespaces, mounts or loop devices. Each is named
# aloud; where all can run, the pattern matches nothing.
set -uo pipefail

leave=()
without() {
	printf '\nNOT RUN HERE: %s, for want of %s.\nhint: be root on Linux, outside of a container that may not\n\n' "$1" "$2" >&2
	leave+=("/$1")
}

# A loop device is taken and given back.
loop() {
	local image device
	image=$(mktemp) && truncate -s 1M "$image" || return 1
	device=$(losetup --find --show "$image" 2>/dev/null)
	local taken=$?
	[ $taken = 0 ] && losetup --detach "$device"
	rm -f "$image"
	return $taken
}

unshare --net true 2>/dev/null || without test/rigs 'network namespaces'
{ loop && unshare --mount mount -t tmpfs none /mnt && [ -c /dev/fuse ]; } 2>/dev/null || without test/disk 'loop devices, /dev/fuse or mounts of its own'

IFS='|'
echo "(${leave[*]:-/none of them})\$"
