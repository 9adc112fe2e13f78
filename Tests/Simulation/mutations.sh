#!/bin/bash
# mutations.sh [BUILD-FOLDER [PROGRAM [SCHEDULES]]]: builds a simulation with deliberate faults, and expects each to be found
# within 2,000 schedules. Fails when one is missed. The faults are the cases of Mutation in Sources/TributaryChanges/Mutation.swift.
# TRIBUTARY_SEED is the first seed.
set -Eeuo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-.build-mutations}
program=${2:-simulate}
# Both simulations are built at one time: they share most modules, and each processor has one to build.
export TRIBUTARY_MUTATIONS=1 TRIBUTARY_ONLY=simulate,simulate-contexts SWIFT_DETERMINISTIC_HASHING=1
swift build $(etc/build-package --flags) --scratch-path "$folder"
missed=0
for mutation in $("$folder/release/$program" --mutation list); do
    "$folder/release/$program" --mutation "$mutation" --schedules "${3:-2000}" --seed "${TRIBUTARY_SEED:-1}" --workers 4 ||
        missed=$((missed + 1))
done
[ "$missed" = 0 ] || echo "$missed deliberate faults were not found"
exit $((missed > 0))
