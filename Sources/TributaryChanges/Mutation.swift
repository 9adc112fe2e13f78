#if MUTATIONS
    import Synchronization

    /// A deliberate fault, to show that the simulation finds faults of its kind.
    ///
    /// Only a build with `TRIBUTARY_MUTATIONS=1` has this type and the places that ask it; see
    /// `Tests/Simulation/mutations.sh`.
    package enum Mutation: Int, CaseIterable, Sendable {
        /// Of two writes with equal clocks, a store takes its own.
        case mineWinsTie
        /// A baseline has no deletions of objects that are not live.
        case tombstoneDroppedInBaseline
        /// The position of a writer is committed after the changes of its transaction.
        case positionCommittedApart
        /// A store draws its clocks after its own ones only.
        case clockNotRaisedByImports
        /// A change that the model cannot represent is dropped.
        case deferredWriteLost
        /// A deletion removes what its writer has counted.
        case counterSupersededByDelete
        /// Of objects that share a unique key, the one that came first is shown.
        case shadowOrderByArrival
        /// The totals of a counter are added, and rounded, in the order in which a store came to know their writers.
        case counterAddedInOrderOfArrival
        /// All writers that a store has been have one total.
        case totalLumpedByStore
        /// Of two writes of one transaction the earlier one stands.
        case earlierLineStands
        /// The total of a counter is rounded after each addition.
        case counterTotalRounded
        /// A transaction does not wait for those that its writer had seen.
        case dependenciesIgnored
        /// The bytes of a segment are not compared with its hash.
        case hashIgnored
        /// Of a segment that overlaps what is applied, nothing is applied.
        case overlapSkipped
        /// The bytes of a baseline are not compared with its hash.
        case baselineTrustedUnverified
        /// A store endorses a baseline without a comparison.
        case endorsedUncompared
        /// The acknowledgement of an evicted writer counts for all writers.
        case evictedAcknowledgementBelieved
        /// A store goes on as its writer whatever the token says.
        case tokenNotCompared
        /// A store exports into an empty folder in the place of its log folder.
        case lostFolderNotNoticed

        private static let active = Atomic(-1)

        package static func isOn(_ mutation: Mutation) -> Bool {
            active.load(ordering: .relaxed) == mutation.rawValue
        }

        package static func turnOn(_ mutation: Mutation) { active.store(mutation.rawValue, ordering: .relaxed) }
    }
#endif
