import Synchronization
import TestSupport
import Tributary
import TributaryChanges
import TributaryModel
import TributaryStore

/// The contexts of the simulation on a store in memory, and the objects that a program keeps in them.
final class OpenContexts: Sendable {
    private enum Access: Sendable {
        case view
        case background(BackgroundContext)
        case child(ChildContext)
    }

    /// The objects that a program keeps, which only the queue of their context uses.
    final class Kept: @unchecked Sendable {
        var objects: [ManagedObject] = []
        var results: FollowedResults?
        /// The objects whose unsaved changes were reported as lost.
        var discarded: Set<Int> = []
    }

    private let folder: TemporaryFolder
    let container: PersistentContainer
    private let second: PersistentContainer
    private let accesses: [Access]
    let kept = ContextPlace.all.map { _ in Kept() }
    /// The clock of the view context's timer.
    let clock = ManualClock()
    private let model: Model
    private let seed: UInt64

    /// Whether each context has an observer of its changes.
    let hasObservers: Bool

    init(_ model: Model, seed: UInt64) async throws {
        hasObservers = seed % 4 > 1
        folder = try TemporaryFolder.inMemory("contexts")
        (self.model, self.seed) = (model, seed)
        container = try await OpenContexts.open(folder, model, seed, clock)
        second = try await OpenContexts.open(folder, model, ~seed, ManualClock())
        var accesses: [Access] = []
        for place in ContextPlace.all {
            switch place.parent {
            // The place of the foreign writer stays empty: it has no context.
            case nil where accesses.isEmpty || place.isForeign: accesses.append(.view)
            case nil:
                let owner = place.isElsewhere ? second : container
                accesses.append(.background(owner.newBackgroundContext(name: place.name, mergePolicy: .objectTrump)))
            case let parent?:
                switch accesses[parent] {
                case .view: accesses.append(.child(container.newChildOfViewContext(name: place.name)))
                case .background(let context): accesses.append(.child(context.newChild(name: place.name)))
                case .child(let context): accesses.append(.child(context.newChild(name: place.name)))
                }
            }
        }
        self.accesses = accesses
        for (index, place) in ContextPlace.all.enumerated() where !place.isForeign {
            let (kept, hasObservers) = (kept[index], hasObservers)
            try await perform(index) { context in
                if hasObservers {
                    context.observeChanges { changes in
                        kept.discarded.formUnion(changes.discarded.map { ContextModel.object($0.id.uniqueID) })
                    }
                }
                if place.hasUndo, index != ContextPlace.view { context.undoStack = UndoStack() }
                guard place.parent == nil else { return }
                if index <= ContextPlace.merging, !ContextFeatures.lacks(.results) {
                    kept.results = try FollowedResults(context)
                }
                guard index != ContextPlace.view else { return }
                if place.isFixed { try context.pin() } else { context.automaticallyMergesChangesFromParent = true }
            }
        }
    }

    private static func open(
        _ folder: TemporaryFolder,
        _ model: Model,
        _ seed: UInt64,
        _ clock: ManualClock
    ) async throws -> PersistentContainer {
        var merging = MergeOptions()
        merging.saves = false
        return try await PersistentContainer(
            store: Store.open(configuration(folder.path("store.sqlite"), model, seed), migrator: nil),
            merging: merging,
            clock: clock
        )
    }

    private static func configuration(_ path: String, _ model: Model, _ seed: UInt64) -> StoreConfiguration {
        let generator = Mutex(SeededGenerator(seed: seed))
        return StoreConfiguration(
            path: path,
            name: "contexts",
            model: model,
            environment: StoreEnvironment(
                wallTime: { wallTime },
                random: { generator.withLock { $0.next() } }
            )
        )
    }

    /// The files of the foreign writer, which the first container imports.
    func foreignFiles() throws -> ForeignFiles {
        try ForeignFiles(
            path: folder.path("logs"),
            container: container,
            other: Store.open(
                OpenContexts.configuration(folder.path("other.sqlite"), model, seed &+ 1),
                migrator: nil
            )
        )
    }

    // MARK: The timer

    /// The time when the view context is to merge, in milliseconds of the clock; nil when there is nothing to merge.
    func timeOfMerge(at now: Int) -> Int? {
        guard let due = container.mergeStatus.nextMergeDue else { return nil }
        return now + Int(due.milliseconds) - Int(OpenContexts.wallTime.milliseconds)
    }

    /// Moves the clock beyond the end of the timer, and waits for the merge.
    func mergeByTimer(at now: Int) async {
        let activities = container.activities()
        clock.advance(to: .milliseconds(now))
        for await activity in activities where activity.title == "Merging" && activity.phase == .finished { return }
    }

    func close() async throws {
        for (index, kept) in kept.enumerated() where index != ContextPlace.foreign {
            try await perform(index) { _ in (kept.objects, kept.results) = ([], nil) }
        }
        // Together: each waits for what the other one still reads.
        async let isClosed: Void = second.close()
        try await container.close()
        try await isClosed
    }

    private static let wallTime: WallTime = 1_700_000_000_000

    // MARK: Running

    func perform<T: Sendable>(_ index: Int, _ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        switch accesses[index] {
        case .view: try await inView(body)
        case .background(let context): try await context.perform(body)
        case .child(let context): try await context.perform(body)
        }
    }

    @MainActor
    private func inView<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        defer { container.viewContext.processPendingChanges() }
        return try body(container.viewContext)
    }

    func checkpoint() { WALCheckpoint.run(path: folder.path("store.sqlite")) }

    // MARK: Log

    /// The store's own transactions after the sequence.
    func transactions(after sequence: UInt64) throws -> [LogTransaction] {
        try container.store.read { reader in
            let writer = try reader.writers.own().id
            var lines: [String] = []
            var last = sequence
            try reader.outbox.localTransactions(of: writer, from: sequence + 1) { transaction in
                lines += String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").map(String.init)
                last = transaction.sequence
                return true
            }
            guard last > sequence else { return [] }
            return try SegmentText(writer: writer, first: sequence + 1, last: last, lines).transactions()
        }
    }
}
