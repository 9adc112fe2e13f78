import TestSupport
import Tributary
import TributaryStore

/// The contexts of a random interleaving, on one store: a free background context, a pinned one with a child, and
/// either the view context with a child and a grandchild, or a second container with a free context and a pinned one.
///
/// IDs and clocks come from the seed, so that a failure comes again with `TRIBUTARY_SEED`; what goes through sets and
/// dictionaries does so too with `SWIFT_DETERMINISTIC_HASHING=1`.
struct InterleavedContexts: Sendable {
    private enum Access: Sendable {
        case view
        case background(BackgroundContext)
        case child(ChildContext)
    }

    static let free = 0
    static let pinned = 1
    /// The first context of the second half: the view context, or the free one of the second container.
    static let view = 3

    let container: PersistentContainer
    let hasSecondContainer: Bool
    /// For each context the one above it.
    let parents: [Int?]
    private let folder: TemporaryFolder
    private let second: PersistentContainer?
    private let accesses: [Access]

    init(_ name: String, model: Model, hasSecondContainer: Bool, seed: UInt64) async throws {
        folder = try TemporaryFolder(name)
        container = try await Company.open(folder, model: model, environment: .seeded(seed))
        self.hasSecondContainer = hasSecondContainer
        container.setMergeOptions(.unsaved)
        let pinned = InterleavedContexts.background(container, "pinned")
        let child = pinned.newChild(name: "child of pinned")
        let first: [Access] = [
            .background(InterleavedContexts.background(container, "free")), .background(pinned), .child(child),
        ]
        if hasSecondContainer {
            let other = try await Company.open(folder, model: model, environment: .seeded(~seed))
            second = other
            parents = [nil, nil, 1, nil, nil]
            accesses =
                first + ["other", "other pinned"].map { .background(InterleavedContexts.background(other, $0)) }
        } else {
            second = nil
            parents = [nil, nil, 1, nil, 3, 4]
            let child = container.newChildOfViewContext(name: "child of view")
            accesses = first + [.view, .child(child), .child(child.newChild(name: "grandchild of view"))]
        }
    }

    private static func background(_ container: PersistentContainer, _ name: String) -> BackgroundContext {
        container.newBackgroundContext(name: name, mergePolicy: .objectTrump)
    }

    var count: Int { accesses.count }

    /// Whether the context is the topmost one of the view context's family.
    func isView(_ index: Int) -> Bool {
        if case .view = accesses[index] { true } else { false }
    }

    func isChild(_ index: Int) -> Bool { parents[index] != nil }

    func close() async throws {
        // Together: each waits for what the other one still reads.
        async let isClosed: Void? = second?.close()
        try await container.close()
        _ = try await isClosed
    }

    func checkpoint() { WALCheckpoint.run(path: folder.path("store.sqlite")) }

    // MARK: Running

    func perform<T: Sendable>(
        _ index: Int,
        _ body: @Sendable (ManagedObjectContext) throws -> T
    ) async throws -> T {
        switch accesses[index] {
        case .view: try await inView(body)
        case .background(let context): try await context.perform(body)
        case .child(let context): try await context.perform(body)
        }
    }

    @MainActor
    private func inView<T: Sendable>(_ body: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try body(container.viewContext)
    }
}

extension ObjectChanges {
    /// Whether the set has the number of new objects, listed, or collapsed by a lower limit of pending changes.
    func tells(ofInserted count: Int) -> Bool {
        if PendingLimit.collapses(count) { return isEverything || !collapsedEntities.isEmpty }
        return inserted.count == count
    }

    /// Whether the set covers the object, listed or not.
    func tells(of id: ManagedObjectID) -> Bool {
        inserted.contains(id) || updated.contains(id) || deleted.contains(id) || PendingLimit.asked != nil && covers(id)
    }
}
