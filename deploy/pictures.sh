#!/bin/sh
# Makes the README's pictures from the product itself: on a throw-away host
# with a real systemd (root), looked at by headless Chromium.
set -eu
cd "$(dirname "$0")/.."
mkdir -p deploy/demo/pictures
go test -count=1 -tags pictures -run '^TestPictures$' ./deploy/testhost -args -out "$PWD/deploy/demo/pictures"
ls deploy/demo/pictures
