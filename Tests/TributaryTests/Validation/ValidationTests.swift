import TestSupport
import Testing
import Tributary
import TributaryStore

/// The validation functions of objects, called by a program and overridden by a class, and the report of a save.
struct ValidationTests {
    /// Checks a condition of its own after the model's.
    final class Careful: ManagedObject {
        override class var entityName: String { "Employee" }
        static let name = Field<String>("name")
        static let code = Field<String?>("code")
        static let salary = Field<Double?>("salary")
        static let boss = ToOne<ManagedObject>("department")

        struct Refusal: Error, CustomStringConvertible {
            let description: String
        }

        override func validateValue(_ value: PropertyValue, forKey key: String) throws {
            try super.validateValue(value, forKey: key)
            if key == "code", value == .string("xx") { throw Refusal(description: "xx is taken") }
        }

        override func validateForInsert() throws {
            try super.validateForInsert()
            try checkPair()
        }

        override func validateForUpdate() throws {
            try super.validateForUpdate()
            try checkPair()
        }

        override func validateForDelete() throws {
            try super.validateForDelete()
            if self[Careful.code] == "AB1" { throw Refusal(description: "AB1 stays") }
        }

        private func checkPair() throws {
            if self[Careful.salary] == 0 { throw Refusal(description: "works for nothing") }
            try validateValue(.string(self[Careful.name]), forKey: "name")
        }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// The failures of a call as `property=rule`.
    private static func failures(_ body: () throws -> Void) throws -> [String] {
        do {
            try body()
            return []
        } catch let error as ValidationError {
            return error.failures.map { "\($0.property ?? "")=\($0.rule)" }
        }
    }

    @Test func everyRuleIsCheckedWhenAProgramAsks() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            #expect(try Self.failures(employee.validateForInsert) == ["name=missing"])
            employee.name = String(repeating: "x", count: 21)
            employee.salary = -1
            employee.code = "ab12"
            employee.projects = try (0..<4).map { _ in try context.insert(Project.self) }
            let wrong = ["name=tooLarge", "salary=tooSmall", "code=pattern", "projects=tooMany"]
            #expect(Set(try Self.failures(employee.validateForInsert)) == Set(wrong))
            #expect(Set(try Self.failures(employee.validateForUpdate)) == Set(wrong))
            #expect(context.hasChanges && context.lastSaveToken == nil)
            employee.name = "Ann"
            employee.salary = 1
            employee.code = nil
            employee.projects = []
            try employee.validateForInsert()
            try context.save()
            try employee.validateForUpdate()
            employee.salary = -1
            #expect(try Self.failures(employee.validateForUpdate) == ["salary=tooSmall"])
        }
    }

    @Test func aDenyRuleIsCheckedBeforeTheDeletion() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.hire("Ann")
            let locker = try context.insert("Locker", ["holder": .reference(employee.uniqueID)])
            try context.save()
            #expect(try Self.failures(employee.validateForDelete) == ["lockers=denied"])
            #expect(employee.state == .clean)
            try locker.validateForDelete()
            context.delete(locker)
            try employee.validateForDelete()
        }
    }

    @Test func aValueIsCheckedWithoutBeingSet() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            let department = try context.insert(Department.self)
            func check(_ value: PropertyValue, _ key: String) throws -> [String] {
                try Self.failures { try employee.validateValue(value, forKey: key) }
            }
            #expect(try check(.null, "name") == ["name=missing"])
            #expect(try check(.string("Ann"), "name") == [])
            #expect(try check(.integer(3), "name") == ["name=type"])
            #expect(try check(.double(-1), "salary") == ["salary=tooSmall"])
            #expect(try check(.double(.nan), "salary") == ["salary=type"])
            #expect(try check(.string("a1"), "code") == ["code=pattern"])
            #expect(try check(.null, "mood") == [])
            #expect(try check(.reference(department.uniqueID), "department") == [])
            #expect(try check(.string("x"), "department") == ["department=type"])
            #expect(throws: ContextError.unknownProperty(entity: "Employee", property: "nme")) {
                try employee.validateValue(.null, forKey: "nme")
            }
            #expect(throws: ContextError.self) { try employee.validateValue(.null, forKey: "projects") }
            #expect(employee.name == "" && employee.salary == nil)
        }
    }

    @Test func aSaveListsTheFailuresOfRulesAndOverridesTogetherAndOnce() async throws {
        let container = try await Company.openInMemory(classes: [Careful.self])
        try await container.performBackgroundTask { context in
            let object = try context.insert(Careful.self)
            object[Careful.name] = String(repeating: "x", count: 21)
            object[Careful.code] = "xx"
            object[Careful.salary] = 0
            let rules = ["name=tooLarge", "code=pattern"]
            #expect(Set(try Self.failures(context.save)) == Set(rules + ["code=hook", "=hook"]))
            #expect(try Self.failures(context.save).count == 4)
            object[Careful.salary] = 1
            #expect(try Self.failures(context.save).count == 3)
            // A program that calls an override gets what `super` throws first; a value's own hook belongs to it.
            #expect(Set(try Self.failures(object.validateForInsert)) == Set(rules + ["code=hook"]))
            object[Careful.name] = "Ann"
            object[Careful.code] = "AB1"
            object[Careful.salary] = 0
            #expect(throws: Careful.Refusal.self) { try object.validateForInsert() }
            #expect(try Self.failures(context.save) == ["=hook"])
            object[Careful.salary] = .nan
            #expect(try Self.failures(context.save) == ["salary=type"])
            object[Careful.salary] = 1
            try context.save()
            #expect(throws: Careful.Refusal.self) { try object.validateForDelete() }
            context.delete(object)
            #expect(try Self.failures(context.save) == ["=hook"])
        }
    }

    @Test func anObjectWithoutAContextOrARowSaysSo() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            let employee = try context.hireAndSave("Ann")
            context.delete(employee)
            try context.save()
            #expect(throws: ContextError.notFound(employee.objectID)) { try employee.validateForUpdate() }
            let other = try context.insert(Employee.self)
            context.reset()
            #expect(throws: ContextError.detached(other.objectID)) { try other.validateForInsert() }
            #expect(throws: ContextError.detached(other.objectID)) { try other.validateForDelete() }
        }
    }

    // MARK: The report of a save

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
