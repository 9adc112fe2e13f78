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

    /// Whether each context has an observer of its changes.
    let hasObservers: Bool

    init(_ model: Model, seed: UInt64) async throws {
        hasObservers = seed % 4 > 1
        folder = try TemporaryFolder.inMemory("contexts")
        container = try await OpenContexts.open(folder, model, seed)
        second = try await OpenContexts.open(folder, model, ~seed)
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

    private static func open(_ folder: TemporaryFolder, _ model: Model, _ seed: UInt64) async throws
        -> PersistentContainer
    {
        let generator = Mutex(SeededGenerator(seed: seed))
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "contexts",
            model: model,
            environment: StoreEnvironment(
                wallTime: { 1_700_000_000_000 },
                random: { generator.withLock { $0.next() } }
            )
        )
        var merging = MergeOptions()
        merging.saves = false
        return try await PersistentContainer(
            store: Store.open(configuration, migrator: nil),
            merging: merging,
            clock: ManualClock()
        )
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

    /// Imports a transaction of the foreign writer, whose clock is ahead of the store's.
    func importTransaction(_ sequence: UInt64, _ changes: [Change]) async throws {
        let clock = HybridClock(milliseconds: 1_700_000_000_000 + sequence)
        let header = TransactionHeader(sequence: sequence, clock: clock, changeCount: changes.count)
        try await container.importTransactions { transaction in
            try transaction.beginImport(writer: UniqueID(high: 7, low: 1 << 63), header: header)
            try transaction.apply(changes)
            return ((), [try transaction.endImport()])
        }
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
