#!/bin/sh
# Shows the product at work, without root and without touching the system: a
# scratch home with a config.yaml and a desired.yaml as people have them, and
# the daemon on it. The home stays until `make clean`.
set -eu
cd "$(dirname "$0")/.."
scratch=$PWD/.scratch
home=$scratch/home
export CORE_HOME="$home" CORE_BACKUP_DIR="$scratch/backups"
export CORE_LISTEN="${CORE_LISTEN:-127.0.0.1:7710}"

if [ ! -e "$home" ]; then
	mkdir -p "$home" "$CORE_BACKUP_DIR"
	chmod 700 "$home"
	cp deploy/demo/config.yaml deploy/demo/desired.yaml "$home/"
fi

cat <<EOF

  Corehost is starting on a scratch home.

    page      http://$CORE_LISTEN
    desired   $home/desired.yaml   edit it and watch the page
    written   $home/config.yaml
    commands  export CORE_HOME=$home
              bin/cli status

  Ctrl-C ends it. The home stays; make clean removes it.

EOF
exec bin/core-dashboard
