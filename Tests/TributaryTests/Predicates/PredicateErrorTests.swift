import TestSupport
import Testing
import Tributary

/// A request that does not fit the model is the same error whether or not the context has unsaved changes.
struct PredicateErrorTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private static func badRequests() throws -> [FetchRequest<ManagedObject>] {
        [
            FetchRequest("Employee", predicate: try ObjectPredicate(parsing: "wage > 3")),
            FetchRequest("Employee", predicate: try ObjectPredicate(parsing: "department.boss.name == 'Ann'")),
            FetchRequest("Employee", predicate: try ObjectPredicate(parsing: "salary BEGINSWITH 'x'")),
            FetchRequest("Employee", sortKeys: [SortKey("wage")]),
            FetchRequest("Employee", sortKeys: [SortKey("projects")]),
        ]
    }

    private func expectError(
        _ what: String,
        _ location: SourceLocation = #_sourceLocation,
        _ asking: () throws -> Any
    ) {
        #expect(throws: ObjectPredicateError.self, "\(what)", sourceLocation: location) { _ = try asking() }
    }

    private func check(_ context: ManagedObjectContext) throws {
        let requests = try Self.badRequests()
        #expect(requests.count >= 5)
        for request in requests {
            let what = "\(request.predicate.map { "\($0)" } ?? "\(request.sortKeys)")"
            var faults = request
            faults.returnsObjectsAsFaults = true
            expectError(what) { try context.fetch(request) }
            expectError(what) { try context.fetch(faults) }
            expectError(what) { try context.fetchIDs(request) }
            expectError(what) { try context.fetchIDs(request, fillingRowCache: true) }
            expectError(what) { try context.fetchDictionaries(request) }
            expectError(what) { try context.fetchBatches(request, as: Employee.self) }
            expectError(what) { try FetchedResultsController<Employee>(request, context: context) }
            guard request.predicate != nil else { continue }
            expectError(what) { try context.count(for: request) }
            expectError(what) { try context.execute(BatchDeleteRequest("Employee", predicate: request.predicate)) }
        }
    }

    @Test func withAndWithoutUnsavedChanges() async throws {
        try await container.newBackgroundContext().perform { context in
            try check(context)
            let employee = try context.hire("Ann")
            try check(context)
            try context.save()
            try check(context)
            employee.salary = 3
            try check(context)
            let child = context.newChild()
            try check(child)
            try child.hire("Bob")
            try check(child)
        }
    }

    @Test @MainActor func inTheViewContextAndOnTheContainer() async throws {
        try check(container.viewContext)
        for request in try Self.badRequests() {
            await #expect(throws: ObjectPredicateError.self) { try await container.fetch(request) }
            await #expect(throws: ObjectPredicateError.self) { try await container.fetchIDs(request) }
            await #expect(throws: ObjectPredicateError.self) {
                _ = try await container.viewContext.fetchAsynchronously(request).count
            }
            await #expect(throws: ObjectPredicateError.self) {
                for try await _ in container.viewContext.stream(request, as: Employee.self) {}
            }
            guard request.predicate != nil else { continue }
            await #expect(throws: ObjectPredicateError.self) { try await container.count(for: request) }
        }
    }

    @Test func aFetchWithATreeThatIsTooDeepIsRefused() async throws {
        try await container.performBackgroundTask { context in
            let predicate = (0..<20_000).reduce(try ObjectPredicate(parsing: "salary > 1")) { term, _ in !term }
            let request = FetchRequest("Employee", predicate: predicate)
            for isDirty in [false, true] {
                if isDirty { try context.hire("Ann") }
                let fetching = #expect(throws: (any Error).self) { try context.fetch(request, as: Employee.self) }
                let counting = #expect(throws: (any Error).self) { try context.count(for: request) }
                for error in [fetching, counting] { #expect(error.map { "\($0)".contains("400 deep") } == true) }
            }
            context.rollback()
            #expect(throws: (any Error).self) {
                try context.execute(BatchDeleteRequest("Employee", predicate: predicate))
            }
        }
    }
}
