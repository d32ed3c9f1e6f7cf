#!/bin/sh
# Runs every test. As root on Debian it first installs what the tests need;
# elsewhere it names what had to be left out.
#
#   deploy/test.sh        everything
#   deploy/test.sh e2e    only the tests on a whole host
set -eu
cd "$(dirname "$0")/.."
only=${1:-all}

# Program and the Debian package it comes from.
needs='chromium:chromium dbus-daemon:dbus nsenter:util-linux ip:iproute2 git:git systemctl:systemd free:procps perl:perl-base'
packages='fonts-dejavu-core'

missing() {
	for need in $needs; do
		command -v "${need%%:*}" >/dev/null 2>&1 || printf '%s ' "${need##*:}"
	done
}

setup() {
	lacking=$(missing)
	[ -n "$lacking" ] || return 0
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
		echo "installing for the tests: $lacking$packages"
		apt-get update -qq
		# shellcheck disable=SC2086 # a list of packages
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $lacking $packages >/dev/null
	fi
}

unit() {
	if command -v chromium >/dev/null 2>&1; then
		tags=browser
	else
		tags=
		echo "left out: the tests in a browser (install chromium)"
	fi
	go vet -tags "$tags" ./...
	go test -race -count=1 -timeout 20m -tags "$tags" ./...
}

e2e() {
	if [ "$(id -u)" != 0 ] || [ ! -x /lib/systemd/systemd ]; then
		echo "left out: the tests on a whole host (they need root and systemd)"
		return 0
	fi
	go vet -tags e2e ./deploy/...
	go test -count=1 -timeout 20m -tags e2e ./deploy/testhost/...
}

setup
case $only in
all) unit && e2e ;;
e2e) e2e ;;
*) echo "usage: deploy/test.sh [e2e]" >&2 && exit 64 ;;
esac
