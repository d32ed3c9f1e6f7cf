#!/bin/sh
# Formatting, vet, linters and shell scripts. Linters are run at the versions
# named here; shellcheck and shfmt only where they are installed.
set -eu
cd "$(dirname "$0")/.."
golangci=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

unformatted=$(gofmt -l api cmd config deploy desired observers reconcilers)
if [ -n "$unformatted" ]; then
	echo "not formatted (gofmt -w):"
	echo "$unformatted"
	exit 1
fi
go vet -tags 'e2e browser' ./...
go run "$golangci" run ./...
scripts=$(git ls-files '*.sh' .ci/run)
if command -v shellcheck >/dev/null 2>&1; then
	# shellcheck disable=SC2086 # a list of files
	shellcheck $scripts
fi
if command -v shfmt >/dev/null 2>&1; then
	# shellcheck disable=SC2086 # a list of files
	shfmt -d $scripts
fi
