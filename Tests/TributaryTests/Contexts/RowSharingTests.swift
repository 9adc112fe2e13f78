import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Rows that were read ahead are used where they are what the context shows, and nowhere else.
@MainActor
struct RowSharingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }
    let statements = StatementCounter()
    let ids: [ManagedObjectID]

    init() async throws {
        folder = try TemporaryFolder("sharing")
        container = try await Company.open(.file, in: folder, sqlLog: statements.log)
        ids = try await container.hire((0..<6).map { "E\($0)" })
        try await container.settled()
    }

    nonisolated private static let request = FetchRequest("Employee", sortKeys: [SortKey("name")])

    private func name(_ id: ManagedObjectID, _ context: ManagedObjectContext) -> String? {
        (context.object(with: id) as? Employee)?.name
    }

    private func rename(_ id: ManagedObjectID, _ name: String, fillingRowCache: Bool) async throws {
        try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Employee)?.name = name
            try context.save()
            _ = try context.fetchIDs(RowSharingTests.request, fillingRowCache: fillingRowCache)
        }
    }

    @Test func aFaultOfAnIDFetchedInTheBackgroundFiresInTheViewContextWithoutAStatement() async throws {
        let fetched = try await container.performBackgroundTask {
            try $0.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        }
        let faults = fetched.map { container.viewContext.object(with: $0) }
        statements.reset()
        #expect(faults.compactMap { ($0 as? Employee)?.name } == (0..<6).map { "E\($0)" })
        #expect(statements.count == 0)
    }

    @Test func faultsThatARequestAsksForFireWithoutAStatement() throws {
        var faults = RowSharingTests.request
        faults.returnsObjectsAsFaults = true
        let objects = try container.viewContext.fetch(faults, as: Employee.self)
        #expect(objects.allSatisfy { $0.isFault })
        statements.reset()
        #expect(objects.first?.name == "E0")
        #expect(statements.count == 0)
    }

    @Test func withoutFillingTheCacheEachFaultReadsItsRow() async throws {
        let fetched = try await container.performBackgroundTask { try $0.fetchIDs(RowSharingTests.request) }
        // The class of an object whose entity has sub-entities is found in its row.
        statements.reset()
        let names = fetched.compactMap { (container.viewContext.object(with: $0) as? Employee)?.name }
        #expect(names.count == 6)
        #expect(statements.count >= 6)
    }

    @Test func anAsynchronousIDFetchFillsTheCacheForTheViewContext() async throws {
        let fetched = try await container.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        statements.reset()
        #expect(fetched.map { name($0, container.viewContext) } == (0..<6).map { "E\($0)" })
        #expect(statements.count == 0)
    }

    @Test func aRowNewerThanTheGenerationIsNotUsed() async throws {
        try await rename(ids[0], "New", fillingRowCache: true)
        #expect(name(ids[0], container.viewContext) == "E0")
        await container.mergePendingChanges()
        #expect(name(ids[0], container.viewContext) == "New")
    }

    @Test func aRowOlderThanTheGenerationIsNotUsed() async throws {
        _ = try view.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        try await rename(ids[0], "New", fillingRowCache: false)
        await container.mergePendingChanges()
        #expect(name(ids[0], view) == "New")
        statements.reset()
        #expect(name(ids[1], view) == "E1")
        #expect(statements.count == 0)
    }

    @Test func aPinnedContextUsesRowsOfItsGenerationOnly() async throws {
        let id = ids[0]
        let background = container.newBackgroundContext()
        try await background.perform { try $0.pin() }
        try await rename(id, "New", fillingRowCache: true)
        let before = await background.perform { ($0.object(with: id) as? Employee)?.name }
        #expect(before == "E0")
        let after = try await background.perform { context in
            try context.pin()
            return (context.object(with: id) as? Employee)?.name
        }
        #expect(after == "New")
    }

    @Test func theSaveOfAPinnedContextEndsWhatIsCachedOfItsObjects() async throws {
        let id = ids[0]
        _ = try container.viewContext.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        try await container.newBackgroundContext().perform { context in
            try context.pin()
            (try context.existingObject(with: id) as? Employee)?.name = "New"
            try context.save()
            context.reset()
            #expect((context.object(with: id) as? Employee)?.name == "New")
        }
        #expect(name(id, container.viewContext) == "E0")
        await container.mergePendingChanges()
        #expect(name(id, container.viewContext) == "New")
    }

    @Test func aChildSeesItsParentsUnsavedValuesAndNotTheCachedRow() async throws {
        _ = try view.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        let edited = try view.existingObject(with: ids[0], as: Employee.self)
        edited.name = "Edited"
        view.delete(view.object(with: ids[1]))
        let child = view.newChild()
        #expect(name(ids[0], child) == "Edited")
        #expect(throws: ContextError.notFound(ids[1])) { try child.existingObject(with: ids[1]) }
        statements.reset()
        #expect(name(ids[2], child) == "E2")
        #expect(statements.count == 0)
        // A fetch of the child that fills the cache leaves the parent's unsaved values out of it.
        _ = try child.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        let pinned = try await container.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        #expect(pinned.count == 6)
        view.rollback()
        #expect(name(ids[0], view) == "E0")
        #expect(name(ids[0], view.newChild()) == "E0")
    }

    @Test func aChildOnAnotherQueueUsesTheRowsOfItsParentsGeneration() async throws {
        let (first, second) = (ids[0], ids[1])
        _ = try view.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        (try view.existingObject(with: first) as? Employee)?.name = "Edited"
        try await rename(second, "New", fillingRowCache: true)
        let child = container.newChildOfViewContext()
        let names = await child.perform { context in
            [first, second].map { (context.object(with: $0) as? Employee)?.name }
        }
        #expect(names == ["Edited", "E1"])
    }

    @Test func rowsOfATransactionThatIsNotCommittedStayInItsContext() async throws {
        let id = ids[0]
        let background = container.newBackgroundContext()
        await #expect(throws: CancellationError.self) {
            try await container.coordinator.perform(on: background) { context in
                (try context.existingObject(with: id) as? Employee)?.name = "Never"
                try context.hireAndSave("Nobody")
                context.reset()
                let ids = try context.fetchIDs(RowSharingTests.request, fillingRowCache: true)
                #expect(ids.count == 7)
                #expect((context.object(with: id) as? Employee)?.name == "Never")
                throw CancellationError()
            }
        }
        try await rename(ids[5], "Moved on", fillingRowCache: false)
        await container.mergePendingChanges()
        #expect(name(id, container.viewContext) == "E0")
        let newest = await container.performBackgroundTask { ($0.object(with: id) as? Employee)?.name }
        #expect(newest == "E0")
    }

    @Test func theCacheShowsWritesOfAnotherProcess() async throws {
        let id = ids[0]
        _ = try container.viewContext.fetchIDs(RowSharingTests.request, fillingRowCache: true)
        let other = try await Company.open(.file, in: folder)
        try await other.save { (try $0.existingObject(with: id) as? Employee)?.name = "Other" }
        let newest = await container.performBackgroundTask { ($0.object(with: id) as? Employee)?.name }
        #expect(newest == "Other")
        await container.mergePendingChanges()
        #expect(name(id, container.viewContext) == "Other")
        try await other.close()
    }

    @Test func aContextThatReadsTheNewestKeepsWhatItReadAheadForOneBody() async throws {
        let background = container.newBackgroundContext()
        let (id, statements) = (ids[0], statements)
        try await background.perform { context in
            let fetched = try context.fetchIDs(RowSharingTests.request, fillingRowCache: true)
            statements.reset()
            #expect(fetched.compactMap { (context.object(with: $0) as? Employee)?.name }.count == 6)
            #expect(statements.count == 0)
            (context.object(with: id) as? Employee)?.name = "Own"
            try context.save()
            context.reset()
            #expect((context.object(with: id) as? Employee)?.name == "Own")
        }
        try await rename(id, "Later", fillingRowCache: false)
        let later = await background.perform { context in
            context.reset()
            return (context.object(with: id) as? Employee)?.name
        }
        #expect(later == "Later")
    }

    @Test func theCacheIsBoundedAndTheOldestRowsGoFirst() throws {
        let rows = try container.store.read { try $0.rows(ids) }.sorted { $0.id.uniqueID < $1.id.uniqueID }
        let cache = RowCache(newest: 1, limit: 3)
        cache.insert(rows, readAt: 1)
        #expect(rows.map { cache.row($0.id, at: 1) != nil } == [false, false, false, true, true, true])
        #expect(cache.row(rows[5].id, at: 0) == nil)
        #expect(cache.row(rows[5].id, at: 2) == nil)
    }

    @Test func aCommitClosesWhatItTouchedAndAGapClosesEverything() throws {
        let rows = try container.store.read { try $0.rows(ids) }
        let cache = RowCache(newest: 1)
        cache.insert(rows, readAt: 1)
        var changes = ObjectChanges()
        changes.update(rows[0].id)
        cache.recordCommits(first: 2, last: 2, changes: changes)
        #expect(cache.row(rows[0].id, at: 2) == nil)
        #expect(cache.row(rows[0].id, at: 1) != nil)
        #expect(cache.row(rows[1].id, at: 2) != nil)
        cache.recordCommits(first: 4, last: 4, changes: ObjectChanges())
        #expect(cache.row(rows[1].id, at: 4) == nil)
        #expect(cache.row(rows[1].id, at: 2) != nil)
        var everything = ObjectChanges()
        everything.collapseEverything()
        cache.insert(rows, readAt: 4)
        cache.recordCommits(first: 5, last: 5, changes: everything)
        #expect(rows.allSatisfy { cache.row($0.id, at: 5) == nil })
    }
}
