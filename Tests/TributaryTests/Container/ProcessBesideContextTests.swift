import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Another process saves while contexts of this one have unsaved changes of the same objects.
@Suite struct ProcessBesideContextTests {
    @Test(.timeLimit(.minutes(30)), arguments: [1, 10_000])
    @MainActor func unsavedChangesAreKeptAboveWhatAnotherProcessSaves(limit: Int) async throws {
        let folder = try TemporaryFolder("processes")
        var options = MergeOptions()
        options.debounce = .milliseconds(10)
        options.pendingLimit = limit
        options.saves = false
        let container = try await Company.open(at: folder.path, merging: options)
        let ids = try await container.save { context in
            try ["counted", "renamed", "deleted", "doomed"].map { try context.hire($0).objectID }
        }
        await container.mergePendingChanges()
        let view = container.viewContext
        let employees = try ids.map { try #require(try view.existingObject(with: $0) as? Employee) }
        employees[0].visits += 5
        employees[1].salary = 7
        employees[2].name = "here"
        view.delete(employees[3])
        var discarded: [ObjectSnapshot] = []
        let observer = view.observeChanges { discarded += $0.discarded }
        let strict = container.newBackgroundContext(name: "strict", mergePolicy: .error)
        let automatic = container.newBackgroundContext(name: "automatic")
        try await strict.perform { try ($0.existingObject(with: ids[1]) as? Employee)?.age = 50 }
        try await automatic.perform { context in
            context.automaticallyMergesChangesFromParent = true
            try (context.existingObject(with: ids[0]) as? Employee)?.visits += 20
        }

        let updates = container.storeUpdates()
        let child = try ChildProcess.test("ChangingProcessTests", [ChangingProcessTests.variable: folder.path])
        let ending = await child.ending()
        // Without its changes there would be no last update.
        try #require(ending == .exited(0))
        for await _ in updates where try view.names().contains("last") { break }

        #expect(employees[0].visits == 105)
        #expect(employees[1].name == "there" && employees[1].salary == 7)
        #expect(employees[2].isDeleted && discarded.map(\.id) == [ids[2]])
        #expect(discarded.first?["name"] == .string("here"))
        #expect(employees[3].state == .deleted)
        #expect(try Set(view.names()) == ["counted", "there", "last"])
        try await automatic.perform { context in
            #expect(try (context.existingObject(with: ids[0]) as? Employee)?.visits == 120)
            try context.save()
        }
        try await strict.save { context in
            #expect(throws: ConflictError.self) { try context.save() }
            let renamed = try #require(try context.existingObject(with: ids[1]) as? Employee)
            context.refresh(renamed, mergeChanges: true)
            #expect(renamed.name == "there" && renamed.age == 50)
        }
        try view.save()
        let stored = try await container.performBackgroundTask { context in
            try context.fetch(Employee.self, sortKeys: [SortKey("name")]).map {
                "\($0.name) \($0.visits) \($0.age) \($0.salary ?? 0)"
            }
        }
        #expect(stored == ["counted 125 30 0.0", "last 0 30 0.0", "there 0 50 7.0"])
        withExtendedLifetime(observer) {}
        try await container.close()
    }
}

/// The other process: a test run of this test alone.
@Suite struct ChangingProcessTests {
    static let variable = "TRIBUTARY_CHANGED_STORE"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func changesWhatItFinds() async throws {
        guard let path = ProcessInfo.processInfo.environment[Self.variable] else { return }
        let container = try await Company.open(at: path, merging: MergeOptions())
        func change(_ name: String, _ change: @Sendable (Employee) throws -> Void) async throws {
            try await container.save { context in
                let request = try FetchRequest<Employee>(where: "name == %@", name)
                try change(try #require(try context.fetch(request).first))
            }
        }
        try await change("counted") { $0.visits += 100 }
        try await change("renamed") { $0.name = "there" }
        try await change("deleted") { $0.managedObjectContext?.delete($0) }
        try await change("doomed") { $0.name = "kept" }
        try await container.save { _ = try $0.hire("last") }
        try await container.close()
    }
}
