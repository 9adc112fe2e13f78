#!/bin/bash
# fuzz.sh [SECONDS] [TARGET…]: runs the coverage-guided fuzzer on the readers of bytes from outside, SECONDS in all (240),
# each target for its share; as many run at one time as there are processors. It starts from Tests/Fuzzing/Corpus and keeps
# what it finds in .build-fuzz/found; an input that makes a reader trap, hang or grow stays in .build-fuzz/failures and
# belongs into the corpus, with a mend.
# It builds in .build-fuzz, or in the folder TRIBUTARY_FUZZ_BUILD: what was built there in debug is built again, the
# packages are not.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-240}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls Tests/Fuzzing/Corpus)

build=${TRIBUTARY_FUZZ_BUILD:-.build-fuzz}
TRIBUTARY_FUZZING=1 swift build --product fuzz --scratch-path "$build"
share=$((seconds / ${#targets[@]}))
[ "$share" -gt 0 ] || share=1
mkdir -p .build-fuzz/failures

# fuzz TARGET: runs the fuzzer on one reader.
fuzz() {
    mkdir -p ".build-fuzz/found/$1"
    # The runtime's own report of a trap would hide the input from the fuzzer. Foundation leaks a string with each XML error.
    ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no TRIBUTARY_FUZZ_TARGET=$1 "$build/debug/fuzz" \
        -max_total_time="$share" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=25 -max_len=8192 -print_final_stats=1 \
        -artifact_prefix=".build-fuzz/failures/$1-" \
        ".build-fuzz/found/$1" "Tests/Fuzzing/Corpus/$1" >".build-fuzz/$1.log" 2>&1 && touch ".build-fuzz/$1.passed"
}

rm -f .build-fuzz/*.passed
for target in "${targets[@]}"; do
    if [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; then wait -n || true; fi
    fuzz "$target" &
done
wait
status=0
for target in "${targets[@]}"; do
    echo "== $target, $share s"
    grep -aE '^(#[0-9]+.DONE|stat::(number|average|slowest|peak)|==|SUMMARY|Base64)|recondition|atal error' \
        ".build-fuzz/$target.log" || true
    [ -e ".build-fuzz/$target.passed" ] || status=1
done
if [ -n "$(ls -A .build-fuzz/failures)" ]; then
    echo "inputs that failed: $(ls .build-fuzz/failures)"
    status=1
fi
exit $status
