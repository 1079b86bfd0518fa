#!/bin/sh
# The browser of the tests. It keeps all cores busy, and the gateway's servers must not wait for it.
exec nice -n 10 "$CHROMIUM" "$@"
