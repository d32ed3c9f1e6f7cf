#!/bin/sh
# Runs as PID 1 of fresh namespaces and becomes systemd on a copy-on-write
# view of the machine. Arguments: scratch folder, host name.
set -eu
scratch=$1 name=$2
mount -t tmpfs -o mode=0755,size=2g corehost-test "$scratch"
mkdir "$scratch/changes" "$scratch/work" "$scratch/root"
mount -t overlay -o "lowerdir=/,upperdir=$scratch/changes,workdir=$scratch/work" overlay "$scratch/root"
cd "$scratch/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs -o mode=0755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
printf '%s\n' "$name" >etc/hostname
# No service of the outer machine starts here; a host begins bare.
find etc/systemd/system -name '*.wants' -type d -exec rm -rf {} +
ip link set lo up
mkdir outside
pivot_root . outside
umount -l /outside
export container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec /lib/systemd/systemd --unit=multi-user.target --log-target=journal
