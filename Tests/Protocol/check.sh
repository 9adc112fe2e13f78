#!/bin/bash
# Verifies the protocol models with spin, exhaustively, and checks that each deliberate fault is found by the invariant
# that is named beside it. Needs spin and a C compiler. Prints a line for each run; Protocol.md explains them.
# An argument chooses the runs whose line contains it. Several runs go on at one time, one for each processor.
# The largest search uses 1.1 GiB; one that reaches the limit of 1.2 GiB (MEMLIM, in MiB) fails.
set -Eeuo pipefail
exec </dev/null
models=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
chosen=${1:-}
for tool in spin gcc; do
    command -v $tool >/dev/null || { echo "$tool is not installed: apt-get install $tool" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0

# report PASSED LINE...: writes the report of the run whose folder is $run.
report() {
    {
        printf '%-8s %-48s %9s states %6s s  %s\n' "${@:2}"
        if [ "$1" = no ] && [ -s "$run/output" ]; then tail -n 20 "$run/output" | sed 's/^/    /'; fi
    } >"$run/report"
    [ "$1" = no ] || touch "$run/passed"
}

# verify EXPECTED MODEL [MACRO...]: EXPECTED is "holds", or the invariant that the model with these macros breaks. The run
# goes on in the background, in a folder of its own.
verify() {
    [[ "$*" = *"$chosen"* ]] || return 0
    if [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; then wait -n || true; fi
    runs=$((runs + 1))
    run=$work/$runs
    mkdir "$run"
    search "$@" &
}

# search EXPECTED MODEL [MACRO...]: the run itself, in the folder $run.
search() {
    local expected=$1 model=$2 macros=("${@:3}") result states seconds output=$run/output
    cd "$run"
    if ! { spin "${macros[@]/#/-D}" -a "$models/$model.pml" &&
        gcc -O2 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1228 -o pan pan.c; } >"$output" 2>&1; then
        report no "$model" "${macros[*]}" - - "does not compile"
        return
    fi
    timeout 300 ./pan -m1000000 -E >"$output" 2>&1 || true
    states=$(awk '/states, stored/ { print $1 }' "$output")
    seconds=$(awk '/elapsed time/ { print $4 }' "$output")
    if grep -q 'errors: 0$' "$output" && ! grep -qE 'Search not completed|max search depth' "$output"; then
        result=holds
        # What no run reaches would hold without a meaning. Processes do not end.
        if [ "$expected" = holds ] && grep -E 'pml:[0-9]+, state' "$output" | grep -qv -e '-end-'; then
            result="has statements that are never reached"
        fi
    else
        result=$(sed -nE 's/.*assertion violated \(*([A-Za-z]+).*/\1/p' "$output" | head -n 1)
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

wait
passed=0
for ((number = 1; number <= runs; number++)); do
    # A run without a report has ended in an error of this script.
    cat "$work/$number/report" || echo "run $number has no report"
    [ ! -e "$work/$number/passed" ] || passed=$((passed + 1))
done
printf '%d passed, %d failed\n' "$passed" $((runs - passed))
[ "$passed" = "$runs" ] && [ "$runs" -gt 0 ]
