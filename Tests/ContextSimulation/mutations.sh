#!/bin/bash
# mutations.sh [BUILD-FOLDER]: builds the simulation of contexts with deliberate faults, and expects each to be found within
# 3,000 schedules. See Tests/Simulation/mutations.sh.

# None of the faults needs these features, and schedules without them find each fault sooner.
export TRIBUTARY_CONTEXTS_WITHOUT=keys,values,counts,unpinning,timer,batchInserts,baselines,processes,sharedIDs
exec "$(dirname "${BASH_SOURCE[0]}")/../Simulation/mutations.sh" "${1:-.build-mutations}" simulate-contexts 3000
