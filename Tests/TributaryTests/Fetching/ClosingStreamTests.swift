import TestSupport
import Testing

@testable import Tributary

/// Closing a container while somebody goes through a stream: the stream ends with an error that says so, and closing
/// does not wait for it.
@MainActor
struct ClosingStreamTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("closing") }

    private func open(_ kind: Company.StoreKind, in folder: TemporaryFolder? = nil) async throws -> PersistentContainer
    {
        let container = try await Company.open(kind, in: folder ?? self.folder)
        try await container.save { context in
            for number in 0..<30 { try context.hire("E\(number + 10)") }
        }
        await container.mergePendingChanges()
        return container
    }

    nonisolated private static var request: FetchRequest<ManagedObject> {
        var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
        request.fetchBatchSize = 10
        return request
    }

    @Test(.timeLimit(.minutes(30)), arguments: Company.StoreKind.allCases)
    func aStreamOfSnapshotsEndsWithAnError(_ kind: Company.StoreKind) async throws {
        let container = try await open(kind)
        var iterator = container.stream(ClosingStreamTests.request).makeAsyncIterator()
        #expect(try await iterator.next()?.count == 10)
        try await container.close()
        await #expect(throws: ContextError.closed) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(.timeLimit(.minutes(30)), arguments: Company.StoreKind.allCases)
    func aStreamOfObjectsEndsWithAnErrorAndMakesNoObjectsMore(_ kind: Company.StoreKind) async throws {
        let container = try await open(kind)
        let view = container.viewContext
        var iterator = view.stream(ClosingStreamTests.request, as: Employee.self).makeAsyncIterator()
        let portion = try await iterator.next()
        let first = try #require(portion?.first)
        try await container.close()
        await #expect(throws: ContextError.closed) { _ = try await iterator.next() }
        let rest = try await iterator.next()
        #expect(rest == nil)
        #expect(view.registeredObjects.isEmpty)
        // Objects that the stream delivered before keep their values.
        #expect(first.name == "E10" && first.state == .detached)
    }

    @Test(.timeLimit(.minutes(30))) func streamsBegunAfterwardsFailAtOnce() async throws {
        let container = try await open(.file)
        var snapshots = container.stream(ClosingStreamTests.request).makeAsyncIterator()
        var objects = container.viewContext.stream(ClosingStreamTests.request, as: Employee.self).makeAsyncIterator()
        try await container.close()
        await #expect(throws: ContextError.closed) { try await snapshots.next() }
        await #expect(throws: ContextError.closed) { _ = try await objects.next() }
    }

    @Test(.timeLimit(.minutes(30)))
    func manyThatGoThroughStreamsMeanwhileAllComeToAnEnd() async throws {
        for _ in 0..<4 {
            let folder = try TemporaryFolder("closing")
            let container = try await open(.file, in: folder)
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let tasks = (0..<3).map { _ in
                Task.detached { () -> Bool in
                    // Again and again, until the container is closed.
                    while true {
                        for try await portion in container.stream(ClosingStreamTests.request) {
                            begin.yield()
                            if portion.isEmpty { return false }
                        }
                    }
                }
            }
            var seen = 0
            for await _ in begun {
                seen += 1
                if seen == 20 { break }
            }
            try await container.close()
            for task in tasks { await #expect(throws: ContextError.closed) { _ = try await task.value } }
        }
    }
}
