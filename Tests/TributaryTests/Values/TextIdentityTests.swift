import TestSupport
import Testing
import Tributary

/// Texts that look the same and have other bytes are other texts: to the store, to predicates and to a save.
struct TextIdentityTests {
    private let composed = "Ren\u{E9}"
    private let decomposed = "Rene\u{301}"

    private func bytes(_ container: PersistentContainer) async throws -> [UInt8] {
        try await container.performBackgroundTask { Array(try $0.fetch(Employee.self).first?.name.utf8 ?? "".utf8) }
    }

    @Test func aSaveWritesTheOtherForm() async throws {
        let folder = try TemporaryFolder("texts")
        let container = try await Company.open(folder)
        let (composed, decomposed) = (composed, decomposed)
        let id = try await container.hire(composed)
        try await container.performBackgroundTask { context in
            let employee = try #require(context.object(with: id, as: Employee.self))
            employee.name = decomposed
            #expect(employee.changedValues() == ["name": .string(decomposed)])
            try context.save()
            #expect(
                try context.count(
                    for: FetchRequest(
                        "Employee",
                        predicate: try ObjectPredicate(parsing: "name == %@", arguments: [.value(.string(decomposed))])
                    )
                ) == 1
            )
        }
        #expect(try await bytes(container) == Array(decomposed.utf8))
    }

    @Test func aBatchWritesTheOtherForm() async throws {
        let folder = try TemporaryFolder("texts")
        let container = try await Company.open(folder)
        try await container.execute(BatchInsertRequest("Employee", rows: [["name": .string(composed)]]))
        let request = BatchUpdateRequest("Employee", setting: ["name": .value(.string(decomposed))])
        #expect(try await container.execute(request).count == 1)
        #expect(try await bytes(container) == Array(decomposed.utf8))
    }
}
