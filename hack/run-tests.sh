#!/usr/bin/env bash
# Runs test suites and closes with one line that sums them up. Usage: hack/run-tests.sh all|unit|integration|e2e|security|fuzz|chaos|bench
set -u
cd "$(dirname "$0")/.."
export PATH="$PWD/.tools/bin:$PATH"

suite="${1:-all}"
passed=0 failed=0 skipped=0
failures="$(mktemp)"
trap 'rm -f "$failures"' EXIT

# run NAME GLOB...: one mocha process, bounded in time; its report is added to the sums. What a failed test left running must not keep it alive.
run() {
  local name="$1" report status=0
  shift
  report="$(mktemp)"
  echo "== $name"
  timeout --kill-after=30 "${SUITE_TIMEOUT:-30m}" node_modules/.bin/mocha --exit --reporter hack/mocha-reporter.cjs --reporter-option "output=$report" "$@" || status=$?
  if [ -s "$report" ]; then
    read -r p f s <"$report"
    [ "$f" -eq 0 ] || { echo "== failed in $name"; tail -n +2 "$report"; } >>"$failures"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    # A suite that breaks outside of its tests has failed all the same.
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
      echo "== $name broke outside of its tests (exit status $status)" >>"$failures"
      failed=$((failed + 1))
    fi
  else
    echo "== $name: no report (exit status $status)" | tee -a "$failures"
    failed=$((failed + 1))
  fi
  rm -f "$report"
}

unit() { run unit --parallel --jobs 2 'pkg/**/*.test.ts' 'hack/**/*.test.ts' 'cmd/**/*.test.ts'; }
integration() { run integration --timeout 120000 'test/integration/**/*.test.ts'; }
# Tests in a cluster mostly wait for it: two files at a time.
e2e() {
  run e2e --timeout 300000 --ignore 'test/e2e/cluster/**' 'test/e2e/**/*.test.ts'
  run e2e-cluster --parallel --jobs 2 --timeout 300000 'test/e2e/cluster/*.test.ts'
}
security() { run security --timeout 120000 'test/security/**/*.test.ts' 'test/growth/**/*.test.ts' 'test/attack/**/*.test.ts'; }
fuzz() { run fuzz 'test/fuzz/**/*.test.ts'; }
chaos() { run chaos --timeout 900000 'test/chaos/**/*.test.ts'; }
bench() { run bench --timeout 300000 'test/bench/**/*.test.ts'; }

case "$suite" in
  all) unit; integration; e2e; security; fuzz; ROUNDS="${ROUNDS:-5}" chaos; bench ;;
  unit | integration | e2e | security | fuzz | chaos | bench) "$suite" ;;
  *) echo "unknown suite: $suite" >&2; exit 2 ;;
esac

# Last, so that whoever sees only the end of a long log sees what failed.
cat "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
