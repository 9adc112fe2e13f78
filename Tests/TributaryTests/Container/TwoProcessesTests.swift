import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Another process writes to the store, and is killed while it does.
@Suite struct TwoProcessesTests {
    @Test(.timeLimit(.minutes(30)), arguments: [1, 10_000])
    func savesOfAProcessThatIsKilledAreMergedOrNeverWere(limit: Int) async throws {
        var random = SeededGenerator.printingSeed()
        let folder = try TemporaryFolder("processes")
        var options = MergeOptions()
        options.debounce = .milliseconds(10)
        options.pendingLimit = limit
        let container = try await Company.open(at: folder.path, merging: options)
        let store = container.store
        let updates = container.storeUpdates()
        for _ in 0..<3 {
            let before = try await count(container, author: "child")
            let child = try ChildProcess.test("ChildWriterTests", [ChildWriterTests.variable: folder.path])
            let wanted = before + Int.random(in: 1...20, using: &random)
            for await _ in updates {
                if try await count(container, author: "child") >= wanted { break }
                try await container.hire("parent")
            }
            child.send(SIGKILL)
            #expect(await child.ending() == .signalled(SIGKILL))
            try await container.hire("parent")
        }
        await container.mergePendingChanges()
        let history = try store.read { try $0.history.transactions(after: 0, limit: .max) }
        let employees = try store.read { reader in
            try store.model.entity(named: "Employee").map { try reader.count(FetchQuery(entity: $0)) }
        }
        #expect(history.map(\.number) == Array(1...Int64(history.count)))
        // A kill within a commit ends a writer.
        for transactions in Dictionary(grouping: history, by: \.writer).values {
            #expect(transactions.map(\.sequence) == Array(1...UInt64(transactions.count)))
        }
        #expect(zip(history, history.dropFirst()).allSatisfy { $0.clock < $1.clock })
        #expect(employees == history.count)
        #expect(try await MainActor.run { try container.viewContext.count(for: FetchRequest("Employee")) } == employees)
        #expect(try container.mainGeneration.number == container.currentHistoryToken().number)
    }

    @MainActor private func count(_ container: PersistentContainer, author: String) throws -> Int {
        try container.viewContext.count(for: FetchRequest("Employee", where: "name == %@", [.value(.string(author))]))
    }
}

/// The process that the test of two processes starts: a test run of this test alone.
@Suite struct ChildWriterTests {
    static let variable = "TRIBUTARY_CHILD_STORE"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func savesUntilItIsKilled() async throws {
        guard let path = ProcessInfo.processInfo.environment[ChildWriterTests.variable] else { return }
        let container = try await Company.open(at: path, merging: MergeOptions())
        let context = container.newBackgroundContext(author: "child")
        while true {
            try await context.save { _ = try $0.hire("child") }
        }
    }
}
