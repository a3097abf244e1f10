#!/usr/bin/env bash
# Make sure there is a Chromium for the browser tests: installed here when root, else a clear sentence.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" > /dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  echo "Installing Chromium for the browser tests"
  apt-get update -qq < /dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium < /dev/null > /dev/null
  exit 0
fi
echo "The browser tests need Chromium, and none is on the path. On Debian: sudo apt install chromium" >&2
echo "To run the other tests without it: make test BROWSER=no" >&2
exit 1
