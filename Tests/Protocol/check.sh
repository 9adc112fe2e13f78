#!/bin/bash
# Verifies the protocol models with spin, exhaustively, and checks that each deliberate fault is found by the invariant
# that is named beside it. Needs spin and a C compiler. Prints a line for each run; Protocol.md explains them.
# An argument chooses the runs whose line contains it.
set -Eeuo pipefail
exec </dev/null
models=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chosen=${1:-}
for tool in spin gcc; do
    command -v $tool >/dev/null || { echo "$tool is not installed: apt-get install $tool" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# report PASSED LINE...
report() {
    if [ "$1" = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    printf '%-8s %-48s %9s states %6s s  %s\n' "${@:2}"
    if [ "$1" = no ] && [ -s "$work/output" ]; then tail -n 20 "$work/output" | sed 's/^/    /'; fi
}

# verify EXPECTED MODEL [MACRO...]: EXPECTED is "holds", or the invariant that the model with these macros breaks.
verify() {
    local expected=$1 model=$2 macros=("${@:3}") result states seconds
    [[ "$expected $model ${macros[*]}" = *"$chosen"* ]] || return 0
    rm -rf "$work/run"
    mkdir "$work/run"
    pushd "$work/run" >/dev/null
    if ! { spin "${macros[@]/#/-D}" -a "$models/$model.pml" &&
        gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=3500 -o pan pan.c; } >"$work/output" 2>&1; then
        popd >/dev/null
        report no "$model" "${macros[*]}" - - "does not compile"
        return
    fi
    timeout 300 ./pan -m1000000 -E >"$work/output" 2>&1 || true
    popd >/dev/null
    states=$(awk '/states, stored/ { print $1 }' "$work/output")
    seconds=$(awk '/elapsed time/ { print $4 }' "$work/output")
    if grep -q 'errors: 0$' "$work/output" && ! grep -qE 'Search not completed|max search depth' "$work/output"; then
        result=holds
        # What no run reaches would hold without a meaning. Processes do not end.
        if [ "$expected" = holds ] && grep -E 'pml:[0-9]+, state' "$work/output" | grep -qv -e '-end-'; then
            result="has statements that are never reached"
        fi
    else
        result=$(sed -nE 's/.*assertion violated \(*([A-Za-z]+).*/\1/p' "$work/output" | head -n 1)
    fi
    if [ "$result" = "$expected" ] && [ "$expected" = holds ]; then
        report yes "$model" "${macros[*]}" "$states" "$seconds" "all invariants hold"
    elif [ "$result" = "$expected" ]; then
        report yes "$model" "${macros[*]}" "$states" "$seconds" "found: $result"
    else
        report no "$model" "${macros[*]}" "${states:--}" "${seconds:--}" "${result:-no result}; expected: $expected"
    fi
}

verify holds export
verify holds export CLONE
verify oneContent export BUG_TOKEN_NOT_COMPARED
verify oneContent export CLONE BUG_TOKEN_NOT_COMPARED
verify oneContent export BUG_TOKEN_NOT_CONSUMED
verify oneName export BUG_REISSUES
verify filesStay export BUG_REPLACES
verify sameBytes export BUG_PUBLISHES_BEFORE_DURABLE
verify exportsAll export BUG_FORGETS_FORMER

verify holds planner
verify explained planner BUG_SKIPS_SEGMENTS
verify explained planner BUG_INCOMPLETE_IS_FINAL
verify appliedOnce planner BUG_POSITION_APART
verify inOrder planner BUG_SEEN_IGNORED
verify inOrder planner BUG_AFTER_IGNORED
verify inOrder planner BUG_ABANDONS_AFTER
verify inOrder planner BUG_ABANDON_MOVES_POSITION
verify oneHistory planner BUG_CONTENT_NOT_COMPARED
verify verified planner BUG_BYTES_NOT_COMPARED

verify holds prune THREE_STORES
verify holds prune SET_BACK
verify holds prune TWO_BASELINES
verify everyActiveHasIt prune THREE_STORES BUG_ACKNOWLEDGES_BEFORE_DURABLE
verify everyActiveHasIt prune THREE_STORES BUG_IGNORES_ACTIVE
verify everyActiveHasIt prune THREE_STORES BUG_COUNTS_EVICTED
verify everyActiveHasIt prune SET_BACK BUG_PRUNES_UNREAD
verify recoverable prune SET_BACK BUG_WRITERS_ENDORSE
verify recoverable prune TWO_BASELINES BUG_ENDORSES_UNCOMPARED
verify recoverable prune TWO_BASELINES BUG_PRUNES_UNENDORSED
verify recoverable prune TWO_BASELINES BUG_UNENDORSED_DOMINATES
verify recoverable prune TWO_BASELINES BUG_EQUAL_DOMINATES
verify recoverable prune TWO_BASELINES BUG_ABSENT_IS_GONE
verify trueState prune THREE_STORES BUG_ENDORSES_UNCOMPARED
verify trueState prune THREE_STORES BUG_ENDORSES_PARTS
verify trueState prune THREE_STORES BUG_JOINS_UNENDORSED

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
