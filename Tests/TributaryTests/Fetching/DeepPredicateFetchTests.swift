import TestSupport
import Testing
import Tributary

/// A predicate that nests too deep is refused wherever one is taken, with and without unsaved changes.
struct DeepPredicateFetchTests {
    @Test func aFetchWithATreeThatIsTooDeepIsRefused() async throws {
        let folder = try TemporaryFolder("deep-predicate")
        let container = try await Company.open(folder)
        try await container.performBackgroundTask { context in
            let predicate = (0..<20_000).reduce(try ObjectPredicate(parsing: "salary > 1")) { term, _ in !term }
            let request = FetchRequest("Employee", predicate: predicate)
            for isDirty in [false, true] {
                if isDirty { try context.insert(Employee.self).name = "Ann" }
                let fetching = #expect(throws: (any Error).self) { try context.fetch(request, as: Employee.self) }
                let counting = #expect(throws: (any Error).self) { try context.count(for: request) }
                for error in [fetching, counting] { #expect(error.map { "\($0)".contains("400 deep") } == true) }
            }
            context.rollback()
            #expect(throws: (any Error).self) {
                try context.execute(BatchDeleteRequest("Employee", predicate: predicate))
            }
        }
        withExtendedLifetime(folder) {}
    }
}
