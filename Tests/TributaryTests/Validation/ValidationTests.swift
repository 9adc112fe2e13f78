import TestSupport
import Testing
import Tributary
import TributaryStore

/// A save that must not be made says everything that is wrong, and writes nothing.
struct ValidationTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func allFailuresAreListed() async throws {
        try await container.performBackgroundTask { context in
            let unnamed = try context.insert(Employee.self)
            let bad = try context.hire(String(repeating: "x", count: 21))
            bad.salary = -1
            bad.code = "ab12"
            bad.projects = try (0..<4).map { _ in try context.insert(Project.self) }
            let error = try #require(throws: ValidationError.self) { try context.save() }
            let found = error.failures.map { "\($0.property ?? "")=\($0.rule)" }
            #expect(
                Set(found) == ["name=missing", "name=tooLarge", "salary=tooSmall", "code=pattern", "projects=tooMany"]
            )
            #expect(error.failures.first { $0.rule == .missing }?.objectID == unnamed.objectID)
            #expect(context.hasChanges)
            #expect(context.lastSaveToken == nil)
        }
        #expect(try container.store.read { try $0.history.newestTransaction() } == 0)
    }

    @Test func aRepairedObjectIsSaved() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.code = "AB12"
            #expect(throws: ValidationError.self) { try context.save() }
            employee.name = "Ann"
            try context.save()
            employee.salary = .infinity
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test(arguments: [1e3, 1e140, 1e200, 1e300])
    func aNumberOfWhateverSizeIsHeldAgainstItsBounds(_ salary: Double) async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.hire("Ann")
            employee.salary = salary
            try context.save()
            employee.salary = -salary
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.rule) == [.tooSmall])
        }
    }
}
