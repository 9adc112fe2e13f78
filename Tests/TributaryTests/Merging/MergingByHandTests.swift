import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// `mergeChanges(_:)` on contexts that show a generation: what is announced is there, and what is there is shown.
struct MergingByHandTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// Opens a container that lists so many objects of a merge.
    private static func open(listing limit: Int, _ folder: TemporaryFolder) async throws -> PersistentContainer {
        var merging = MergeOptions.fixture
        merging.pendingLimit = limit
        return try await Company.open(folder, merging: merging)
    }

    /// The changes that a background context has saved, as its hook reports them.
    private func save(
        in other: PersistentContainer? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> ObjectChanges {
        try await (other ?? container).performBackgroundTask { context in
            var saved = ObjectChanges()
            context.onDidSave = { saved = $1 }
            try body(context)
            try context.save()
            return saved
        }
    }

    /// Reads each inserted object as soon as its notification arrives.
    private static func watch(_ context: ManagedObjectContext) -> Told {
        let told = Told()
        context.observeChanges { [unowned context] notice in
            for id in notice.inserted {
                #expect(throws: Never.self) { try context.existingObject(with: id) }
                told.inserted.append(id)
            }
            told.updated.formUnion(notice.updated)
            told.isEverything = told.isEverything || notice.isEverything
        }
        return told
    }

    private final class Told {
        var inserted: [ManagedObjectID] = []
        var updated: Set<ManagedObjectID> = []
        var isEverything = false

        /// Each of the objects once, or, where the merge was too large to list, that everything may have changed.
        func expect(_ ids: Set<ManagedObjectID>, collapsed: Bool, _ place: SourceLocation = #_sourceLocation) {
            let listed = collapsed ? [] : ids
            #expect(Set(inserted) == listed && inserted.count == listed.count, sourceLocation: place)
            #expect(isEverything == collapsed, sourceLocation: place)
        }
    }

    @Test(arguments: [ObjectChanges.defaultLimit, 1]) @MainActor
    func theViewContextShowsWhatItTellsOf(_ limit: Int) async throws {
        let folder = try TemporaryFolder("byHand")
        let container = try await Self.open(listing: limit, folder)
        let view = container.viewContext
        let ann = try view.hireAndSave("Ann")
        view.processPendingChanges()
        let id = ann.objectID
        let told = Self.watch(view)
        let changes = try await save(in: container) { context in
            try context.hire("Bob")
            (context.object(with: id) as? Employee)?.name = "Anna"
        }
        ann.salary = 3
        view.mergeChanges(changes)
        #expect(changes.inserted.count == 1)
        told.expect(changes.inserted, collapsed: limit == 1)
        #expect(told.updated.contains(id) && ann.name == "Anna" && ann.salary == 3)
        #expect(try view.names() == ["Anna", "Bob"])
        #expect(view.generation?.number == (try container.store.read { try $0.history.newestTransaction() }))
        // The timer does not merge merged changes again.
        let count = told.inserted.count
        await container.mergePendingChanges()
        #expect(told.inserted.count == count)
        try view.save()
    }

    @Test(arguments: [ObjectChanges.defaultLimit, 1]) @MainActor
    func changesOfAnEarlierSaveBringAllThatCameSince(_ limit: Int) async throws {
        let folder = try TemporaryFolder("byHand")
        let container = try await Self.open(listing: limit, folder)
        let view = container.viewContext
        let told = Self.watch(view)
        let first = try await save(in: container) { try $0.hire("Ann") }
        let second = try await save(in: container) { try $0.hire("Bob") }
        let id = try #require(first.inserted.first)
        let third = try await save(in: container) { context in
            context.delete(try context.existingObject(with: id))
        }
        view.mergeChanges(first)
        told.expect(second.inserted, collapsed: limit == 1)
        #expect(throws: ContextError.notFound(id)) { try view.existingObject(with: id) }
        // A repetition in any order notifies only of existing objects.
        view.mergeChanges(third)
        view.mergeChanges(first)
        told.expect(second.inserted, collapsed: limit == 1)
    }

    @Test func aPinnedContextMovesAsWell() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            try context.pin()
            context.retainsRegisteredObjects = true
        }
        let changes = try await save { try $0.hire("Ann") }
        await background.perform { context in
            let told = Self.watch(context)
            context.mergeChanges(changes)
            #expect(Set(told.inserted) == changes.inserted)
            #expect(context.isPinned)
        }
    }

    @Test @MainActor func theParentOfAChildMergesFirst() async throws {
        let view = container.viewContext
        let child = view.newChild()
        let (above, below) = (Self.watch(view), Self.watch(child))
        let changes = try await save { try $0.hire("Ann") }
        child.mergeChanges(changes)
        #expect(Set(above.inserted) == changes.inserted && Set(below.inserted) == changes.inserted)
    }

    @Test @MainActor func insideATransactionAndInsideASaveNothingMoves() async throws {
        let view = container.viewContext
        let ann = try view.hireAndSave("Ann")
        let id = ann.objectID
        ann.name = "Here"
        let changes = try await save { context in
            (context.object(with: id) as? Employee)?.salary = 4
            try context.hire("Bob")
        }
        view.resolveConflict = { [unowned view] _, _ in
            view.mergeChanges(changes)
            return .objectTrump
        }
        try container.coordinator.perform { view in
            view.mergeChanges(changes)
            try view.save()
        }
        #expect(ann.name == "Here" && ann.salary == 4)
        #expect(try view.count(for: FetchRequest("Employee")) == 2)
    }
}
