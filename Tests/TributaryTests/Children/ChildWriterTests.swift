import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// The process that the test of two processes starts: a test run of this test alone.
@Suite struct ChildWriterTests {
    static let variable = "TRIBUTARY_CHILD_STORE"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func savesUntilItIsKilled() async throws {
        guard let path = ProcessInfo.processInfo.environment[ChildWriterTests.variable] else { return }
        let store = try Store.open(StoreConfiguration(path: path, name: "company", model: try Company.model()))
        let container = try await PersistentContainer(store: store, classes: Company.classes)
        let context = container.newBackgroundContext(author: "child")
        while true {
            try await context.perform { context in
                try context.insert(Employee.self).name = "child"
                try context.save()
            }
        }
    }
}
