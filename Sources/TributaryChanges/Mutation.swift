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

        // MARK: Contexts

        /// The results controller reports no change of an object that stays in its list.
        case resultsSkipUpdates
        /// Null is neither before nor after other values in the order of objects in memory.
        case nullIgnoredInSorting
        /// A rollback keeps links that were made or removed.
        case rollbackKeepsLinks
        /// A refresh drops unsaved changes when it should keep them.
        case refreshDropsChanges
        /// A merge keeps the lists of related objects that were read before.
        case mergeKeepsLists
        /// A child does not take over what its parent shows by now.
        case childKeepsOldState
        /// A fetch finds objects by the values that they have in the store.
        case fetchFindsFormerValues
        /// A fetch with a condition on related objects ignores their unsaved changes.
        case fetchIgnoresChangedRelations
        /// A save does not check its rules again on the newest state.
        case rulesOfTheOldState
        /// A save keeps the lists of related objects that it has changed.
        case saveKeepsLists
        /// A save of the view context moves it without merging the changes of others.
        case saveMergesNothing
        /// A counter keeps its shown value in a merge, and not its pending amount.
        case counterKeepsValue
        /// A merge forgets which properties of an object were changed.
        case mergeForgetsChanges
        /// An insert contains all properties, also properties that were never set.
        case insertWritesEverything
        /// A save does not notice that another save has written the object.
        case conflictNotNoticed
        /// The policy `overwrite` writes only what the context has changed.
        case overwriteKeepsOthers
        /// The policy `storeTrump` writes what the context has changed.
        case storeTrumpLoses
        /// Lost changes of an object that others have deleted are reported to nobody.
        case lossNotReported
        /// A new change leaves the undone changes, so that a redo repeats them on another state.
        case redoSurvivesChanges
        /// The undo stack keeps steps about objects that others have deleted.
        case undoKeepsStepsOfGoneObjects
        /// An undo sets the value that was shown before the step, also when the context had not changed the property.
        case undoBringsOldValuesBack
        /// The undo of a saved deletion gives the object only the default values of the model.
        case undoOfDeletionLosesValues

        /// The program that finds the fault.
        package var program: String {
            rawValue < Mutation.resultsSkipUpdates.rawValue ? "simulate" : "simulate-contexts"
        }

        private static let active = Atomic(-1)

        package static func isOn(_ mutation: Mutation) -> Bool {
            active.load(ordering: .relaxed) == mutation.rawValue
        }

        package static func turnOn(_ mutation: Mutation) { active.store(mutation.rawValue, ordering: .relaxed) }

        package static func turnOff() { active.store(-1, ordering: .relaxed) }
    }
#endif
