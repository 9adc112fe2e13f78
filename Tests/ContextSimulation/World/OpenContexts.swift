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
        case process(OtherProcess)
    }

    /// The objects that a program keeps, which only the queue of their context uses.
    final class Kept: @unchecked Sendable {
        var objects: [ManagedObject] = []
        var results: FollowedResults?
        /// The objects whose unsaved changes were reported as lost.
        var discarded: Set<Int> = []
    }

    private let folder: TemporaryFolder?
    private let schedule: ContextSchedule
    private let model: Model
    private let containers: [PersistentContainer]
    private let accesses: [Access?]
    let kept = ContextPlace.all.map { _ in Kept() }
    /// The clock of the view context's timer.
    let clock = ManualClock()

    var container: PersistentContainer { containers[0] }

    /// Whether each context has an observer of its changes.
    var hasObservers: Bool { schedule.seed % 4 > 1 }

    /// Opens all contexts, in some schedules one of them in another process.
    init(_ schedule: ContextSchedule) async throws {
        self.schedule = schedule
        model = try ContextModel.model(schedule.rules)
        let folder = try TemporaryFolder.inMemory("contexts")
        self.folder = folder
        let path = folder.path("store.sqlite")
        let container = try await OpenContexts.open(path, model, schedule.seed, clock)
        var accesses: [Access?] = []
        var containers = [container]
        for place in ContextPlace.all {
            switch place.parent.map({ accesses[$0] }) {
            // The foreign writer has no context.
            case nil where place.isForeign: accesses.append(nil)
            case nil where accesses.isEmpty: accesses.append(.view)
            case nil where place.isElsewhere:
                if schedule.hasOtherProcess {
                    accesses.append(.process(try OtherProcess(path, schedule)))
                } else {
                    let second = try await OpenContexts.open(path, model, ~schedule.seed, ManualClock())
                    containers.append(second)
                    accesses.append(OpenContexts.background(place, of: second))
                }
            case nil: accesses.append(OpenContexts.background(place, of: container))
            case .view: accesses.append(.child(container.newChildOfViewContext(name: place.name)))
            case .background(let context): accesses.append(.child(context.newChild(name: place.name)))
            case .child(let context): accesses.append(.child(context.newChild(name: place.name)))
            case .process, .some(nil): accesses.append(nil)
            }
        }
        (self.accesses, self.containers) = (accesses, containers)
        try await prepare()
    }

    /// Opens the context elsewhere alone, in the other process; `path` is that of the store.
    init(elsewhere path: String, _ schedule: ContextSchedule) async throws {
        self.schedule = schedule
        folder = nil
        model = try ContextModel.model(schedule.rules)
        let container = try await OpenContexts.open(path, model, ~schedule.seed, clock)
        containers = [container]
        accesses = ContextPlace.all.map { $0.isElsewhere ? OpenContexts.background($0, of: container) : nil }
        try await prepare()
    }

    private static func background(_ place: ContextPlace.Place, of container: PersistentContainer) -> Access {
        .background(container.newBackgroundContext(name: place.name, mergePolicy: .objectTrump))
    }

    private func isHere(_ index: Int) -> Bool {
        switch accesses[index] {
        case nil, .process: false
        case .view, .background, .child: true
        }
    }

    private func prepare() async throws {
        for (index, place) in ContextPlace.all.enumerated() where isHere(index) {
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

    private static func open(_ path: String, _ model: Model, _ seed: UInt64, _ clock: ManualClock) async throws
        -> PersistentContainer
    {
        var merging = MergeOptions()
        merging.saves = false
        return try await PersistentContainer(
            store: Store.open(configuration(path, model, seed)),
            merging: merging,
            clock: clock
        )
    }

    private static let wallTime: WallTime = 1_700_000_000_000

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

    /// The files of the foreign writer, which the first container imports; nil in the other process.
    func foreignFiles() throws -> ForeignFiles? {
        guard let folder else { return nil }
        let configuration = OpenContexts.configuration(folder.path("other.sqlite"), model, schedule.seed &+ 1)
        let other = try Store.open(configuration)
        return try ForeignFiles(path: folder.path("logs"), container: container, other: other)
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
        for (index, kept) in kept.enumerated() where isHere(index) {
            try await perform(index) { _ in (kept.objects, kept.results) = ([], nil) }
        }
        // Together: each waits for what the other one still reads.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for container in containers { group.addTask { try await container.close() } }
            for case .process(let process)? in accesses { group.addTask { try await process.close() } }
            try await group.waitForAll()
        }
    }

    // MARK: Running

    func ask(_ index: Int, _ request: ContextRequest) async throws -> ContextReply {
        if case .process(let process) = accesses[index] { return try await process.ask(request) }
        let kept = kept[index]
        return try await perform(index) { try request.answer(in: $0, kept) }
    }

    /// Returns false when the context elsewhere is in this process.
    func killElsewhere() async throws -> Bool {
        guard case .process(let process) = accesses[ContextPlace.elsewhere] else { return false }
        try await process.killAndStart()
        return true
    }

    /// What is wrong with the results controller of a context.
    func failureOfResults(_ index: Int, _ objects: [Int], _ keys: [PropertyValue]) async throws -> String? {
        let kept = kept[index]
        guard isHere(index) else { return nil }
        return try await perform(index) { _ in try kept.results?.failure(objects, keys) }
    }

    func perform<T: Sendable>(_ index: Int, _ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        switch accesses[index] {
        case .background(let context): try await context.perform(body)
        case .child(let context): try await context.perform(body)
        case .view, .process, nil: try await inView(body)
        }
    }

    @MainActor
    private func inView<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        defer { container.viewContext.processPendingChanges() }
        return try body(container.viewContext)
    }

    func checkpoint() { WALCheckpoint.run(path: container.store.configuration.path) }

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
