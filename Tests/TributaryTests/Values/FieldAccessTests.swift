import TestSupport
import Testing
import Tributary

@Suite("Field access")
struct FieldAccessTests {
    class Worker: ManagedObject, FieldAccess {
        override class var entityName: String { "Employee" }
        static let name = Field<String>("name")
        static let salary = Field<Double?>("salary")
        static let age = Field<Int16>("age")
        static let department = ToOne<Unit>("department")
        static let badge = ToOne<Badge>("badge")
        static let projects = ToMany<Project>("projects")
        override class var declaredFields: [any DeclaredField] { [name, salary, age, department, badge, projects] }
        override class var declaresEveryProperty: Bool { false }

        /// Stands before the key of its name.
        var salary: Double {
            get { self[Worker.salary] ?? -1 }
            set { self[Worker.salary] = newValue }
        }

        func birthday() { self.age += 1 }
    }

    final class Chief: Worker {
        override class var entityName: String { "Foreman" }
        static let bonus = Field<Double?>("bonus")
        override class var declaredFields: [any DeclaredField] { [bonus] }
    }

    final class Unit: ManagedObject, FieldAccess {
        override class var entityName: String { "Department" }
        static let title = Field<String?>("title")
        static let employees = ToMany<Worker>("employees")
        override class var declaredFields: [any DeclaredField] { [title, employees] }
    }

    final class Wrong: ManagedObject, FieldAccess {
        override class var entityName: String { "Department" }
        static let title = Field<Int>("title")
        override class var declaredFields: [any DeclaredField] { [title] }
    }

    private static let classes: [ManagedObject.Type] = [
        Worker.self, Chief.self, Unit.self, Project.self, Badge.self,
    ]

    @Test func keysAreReadAndWrittenAsProperties() async throws {
        let container = try await Company.openInMemory(classes: Self.classes)
        try await container.performBackgroundTask { context in
            let unit = try context.insert(Unit.self)
            unit.title = "R&D"
            let ann = try context.insert(Worker.self)
            ann.name = "Ann"
            ann.department = unit
            ann.name += "a"
            ann.birthday()
            #expect(ann.name == "Anna" && ann.age == 31 && ann.department?.title == "R&D")
            #expect(unit.employees == [ann])
            #expect(ann.salary == -1)
            let project = try context.insert(Project.self)
            ann.projects.append(project)
            #expect(ann.projects == [project] && ann.badge == nil)
            let bob = try context.insert(Chief.self)
            bob.name = "Bob"
            bob.bonus = 2
            unit.employees = [ann, bob]
            try context.save()
            context.refresh(bob, mergeChanges: false)
            #expect(bob.isFault && bob.bonus == 2 && bob.name == "Bob" && bob.department == unit)
            unit.title = nil
            #expect(unit.title == nil && unit.changedValues()["title"] == .null)
        }
    }

    @Test func aWriteToAnInvalidatedObjectIsRefused() async throws {
        let container = try await Company.openInMemory(classes: Self.classes)
        try await container.performBackgroundTask { context in
            let ann = try context.insert(Worker.self)
            ann.name = "Ann"
            ann.department = try context.insert(Unit.self)
            try context.save()
            context.delete(ann)
            try context.save()
            ann.name = "Anna"
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.property) == ["name"] && error?.failures.first?.rule == .gone)
            #expect(ann.name == "Ann")
        }
    }

    @Test func keysAreCheckedWhenTheContainerOpens() async throws {
        await #expect {
            try await Company.openInMemory(classes: [Wrong.self])
        } throws: { error in
            guard case ContextError.fields(let problems) = error else { return false }
            return problems.map(\.field) == ["Field<Int>(\"title\")", "ToMany<ManagedObject>(\"employees\")"]
        }
    }

    /// Members of `ManagedObject` hide the keys of their names.
    class Hidden: ManagedObject, FieldAccess {
        override class var entityName: String { "Reading" }
        static let value = Field<Double>("value")
        static let state = Field<String?>("state")
        static let unit = Field<String?>("unit")
        override class var declaredFields: [any DeclaredField] { [value, state] }
    }

    final class Renamed: ManagedObject, FieldAccess {
        override class var entityName: String { "Reading" }
        static let value_ = Field<Double>("value", accessor: "value_")
        static let state_ = Field<String?>("state", accessor: "state_")
        static let unit = Field<String?>("unit")
        override class var declaredFields: [any DeclaredField] { [value_, state_, unit] }
    }

    final class Incomplete: ManagedObject, FieldAccess {
        override class var entityName: String { "Reading" }
        static let unit = Field<String?>("unit")
        override class var declaredFields: [any DeclaredField] { [unit] }
    }

    private func openReadings(_ type: ManagedObject.Type) async throws -> PersistentContainer {
        let model = try Model(
            yaml: "entities: {Reading: {attributes: {value: Double, state: String?, unit: String?}}}"
        )
        return try await PersistentContainer(name: "readings", model: model, classes: [type], store: .memory)
    }

    @Test func aKeyThatAMemberHidesIsRefusedWithTheLineToWrite() async throws {
        let error = await #expect(throws: ContextError.self) { try await openReadings(Hidden.self) }
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("objects have a member 'value', which hides the property"), "\(text)")
        #expect(text.contains("`static let value_ = Field<Double>(\"value\", accessor: \"value_\")`"), "\(text)")
        #expect(text.contains("objects have a member 'state'"), "\(text)")
        #expect(text.contains("`static let unit = Field<String?>(\"unit\")`"), "\(text)")
        let incomplete = await #expect(throws: ContextError.self) { try await openReadings(Incomplete.self) }
        let lines = "\(incomplete.map { "\($0)" } ?? "")"
        #expect(lines.contains("`static let value_ = Field<Double>(\"value\", accessor: \"value_\")`"), "\(lines)")
    }

    @Test func anotherAccessorReachesTheProperty() async throws {
        let container = try await openReadings(Renamed.self)
        try await container.performBackgroundTask { context in
            let reading = try context.insert(Renamed.self)
            reading.value_ = 3
            reading.state_ = "dry"
            try context.save()
            #expect(try reading.value(forKey: "value") == .double(3) && reading.state == .clean)
            #expect(reading.state_ == "dry")
        }
    }
}
