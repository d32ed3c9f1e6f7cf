#!/bin/sh
# Makes the README's pictures from the product itself: the daemon on a scratch
# home, looked at by headless Chromium, light and dark.
set -eu
cd "$(dirname "$0")/.."
command -v chromium >/dev/null 2>&1 || {
	echo "error: the pictures need chromium" >&2
	exit 1
}
scratch=$(mktemp -d)
daemon=
finish() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	rm -rf "$scratch"
}
trap finish EXIT

mkdir -p "$scratch/home" "$scratch/backups" deploy/demo/pictures
chmod 700 "$scratch/home"
cp deploy/demo/config.yaml deploy/demo/desired.yaml "$scratch/home/"
export CORE_HOME="$scratch/home" CORE_BACKUP_DIR="$scratch/backups" CORE_LISTEN=127.0.0.1:7719
bin/core-dashboard 2>"$scratch/log" &
daemon=$!
until curl -fsS "http://$CORE_LISTEN/readyz" >/dev/null 2>&1; do
	kill -0 "$daemon" || {
		cat "$scratch/log" >&2
		exit 1
	}
done
bin/cli model set cellar >/dev/null
bin/cli model reasoning high >/dev/null

# picture NAME PATH WIDTH HEIGHT [chromium flag...]
picture() {
	name=$1 path=$2 size=$3,$4
	shift 4
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-background-networking --disable-sync \
		--no-first-run --hide-scrollbars --force-device-scale-factor=1 --user-data-dir="$scratch/$name" \
		--window-size="$size" --timeout=5000 --screenshot="deploy/demo/pictures/$name.png" \
		"$@" "http://$CORE_LISTEN$path" >/dev/null 2>&1
	echo "deploy/demo/pictures/$name.png"
}
picture host / 1280 1000
picture host-dark / 1280 1000 --blink-settings=preferredColorScheme=0
picture model /model 1280 1000
picture activity /activity 1280 1000
