import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// `now()` in a condition is the store's time at the moment of the question, wherever the condition is asked.
struct NowPredicateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: "Visit: {attributes: {at: Date?}}",
            environment: StoreEnvironment(wallTime: { 1_000_000 }, random: { .random(in: .min ... .max) })
        )
        try await container.execute(
            BatchInsertRequest("Visit", rows: [["at": .date(999)], ["at": .date(1000)], ["at": .date(1001)]])
        )
    }

    private let conditions = [("at < now()", 1), ("at == now()", 1), ("at >= now()", 2), ("NOT at < now()", 2)]

    @Test func aContextAndTheReadsOfTheAdminInterfaceAgree() async throws {
        let entity = try #require(container.model.entity(named: "Visit"))
        for (text, count) in conditions {
            let predicate = try ObjectPredicate(parsing: text)
            let query = FetchQuery(entity: entity, predicate: container.resolvingNow(predicate))
            #expect(try container.store.read { try $0.count(query) } == count, "\(text)")
            let found = try await container.performBackgroundTask { context in
                try context.count(for: FetchRequest("Visit", predicate: predicate))
            }
            #expect(found == count, "\(text)")
        }
    }

    @Test func aConditionOnResultsKnowsTheTime() async throws {
        let texts = try await container.performBackgroundTask { context in
            var request = FetchRequest("Visit")
            request.propertiesToFetch = [.count(as: "visits"), "at"]
            request.groupBy = ["at"]
            request.having = try ObjectPredicate(parsing: "at < now()")
            return try context.fetchDictionaries(request).map { "\($0["at"])" }
        }
        #expect(texts.count == 1)
    }

    @Test func batchesKnowTheTime() async throws {
        let past = try ObjectPredicate(parsing: "at < now()")
        let updated = try await container.execute(
            BatchUpdateRequest("Visit", predicate: past, setting: ["at": .value(.date(5000))])
        )
        #expect(updated.count == 1)
        let deleted = try await container.execute(
            BatchDeleteRequest("Visit", predicate: try ObjectPredicate(parsing: "at > now()"))
        )
        #expect(deleted.count == 2)
    }

    @Test @MainActor func aListMayDependOnTheTime() async throws {
        await container.mergePendingChanges()
        let view = container.viewContext
        let controller = try FetchedResultsController<ManagedObject>(
            FetchRequest("Visit", predicate: try ObjectPredicate(parsing: "at < now()")),
            context: view
        )
        #expect(controller.fetchedObjects.count == 1)
        let visit = try view.insert("Visit", ["at": .date(5)])
        view.processPendingChanges()
        #expect(controller.fetchedObjects.count == 2 && controller.fetchedObjects.contains(visit))
    }
}
