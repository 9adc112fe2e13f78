import TestSupport
import Testing
import Tributary

/// Keys of classes that stand for no property of the entity, and properties without a key.
@Suite("Declared fields")
struct DeclaredFieldTests {
    /// Every kind of key, none of which fits.
    class Misfit: ManagedObject {
        override class var entityName: String { "Employee" }
        static let salry = Field<Double?>("salry")
        static let name = Field<Int64>("name")
        static let age = Field<Int16>("visits")
        static let department = Field<String>("department")
        static let badge = ToMany<Badge>("badge")
        static let projects = ToOne<Project>("projects")
        static let code = ToOne<Project>("code")
        static let boss = ToOne<Badge>("department")
        static let mood = TransformableField<[String]>("name")
        static let right = Field<String?>("code")
        override class var declaredFields: [any DeclaredField] {
            [salry, name, age, department, badge, projects, code, boss, mood, right]
        }
        override class var declaresEveryProperty: Bool { false }
    }

    /// A subclass lists its own keys alone; those of the superclass are checked too.
    final class Worse: Misfit {
        override class var entityName: String { "Foreman" }
        static let crew = Field<String>("crew")
        override class var declaredFields: [any DeclaredField] { [crew] }
    }

    /// Has a key that it does not list, and lacks others.
    class Incomplete: ManagedObject {
        override class var entityName: String { "Employee" }
        static let name = Field<String>("name")
        static let age = Field<Int16>("age")
        static let mood = Field<String?>("mood")
        override class var declaredFields: [any DeclaredField] { [name, age] }
    }

    /// Lists none of its own.
    final class IncompleteForeman: Incomplete {
        override class var entityName: String { "Foreman" }
        static let bonus = Field<Double?>("bonus")
    }

    /// Has the lines that the error for ``Incomplete`` gives.
    final class Completed: Incomplete {
        static let code = Field<String?>("code")
        static let salary = Field<Double?>("salary")
        static let visits = Field<Int64?>("visits")
        static let badge = ToOne<Badge>("badge")
        static let department = ToOne<Department>("department")
        static let lockers = ToMany<ManagedObject>("lockers")
        static let notes = ToMany<ManagedObject>("notes")
        static let projects = ToMany<Project>("projects")
        override class var declaredFields: [any DeclaredField] {
            [mood, code, salary, visits, badge, department, lockers, notes, projects]
        }
    }

    /// Leaves the other properties out, and says so.
    final class Partial: Incomplete {
        override class var declaresEveryProperty: Bool { false }
    }

    final class Unlisted: ManagedObject {
        override class var entityName: String { "Employee" }
        static let salry = Field<Double?>("salry")
        static let number = Field<Int64>("name")
        static let boss = ToOne<Unlisted>("boss")
    }

    private static func problems(_ classes: [ManagedObject.Type]) async throws -> [FieldProblem] {
        do {
            try await Company.openInMemory(classes: classes).close()
            return []
        } catch ContextError.fields(let problems) {
            return problems
        }
    }

    @Test func theContainerTellsAllThatDoNotFitInOneError() async throws {
        let classes: [ManagedObject.Type] = [Misfit.self, Department.self, Project.self, Badge.self]
        let problems = try await Self.problems(classes)
        #expect(
            problems.map(\.field) == [
                "Field<Optional<Double>>(\"salry\")", "Field<Int64>(\"name\")", "Field<Int16>(\"visits\")",
                "Field<String>(\"department\")", "ToMany<Badge>(\"badge\")", "ToOne<Project>(\"projects\")",
                "ToOne<Project>(\"code\")", "ToOne<Badge>(\"department\")",
                "TransformableField<Array<String>>(\"name\")",
            ]
        )
        #expect(problems.allSatisfy { $0.className == "Misfit" && $0.entity == "Employee" })
        let text = ContextError.fields(problems).description
        #expect(text.contains("has no property 'salry'; it has 'age', 'badge', "))
        #expect(text.contains("'name' is of the type String, which takes no Int64"))
        #expect(
            text.contains(
                "'visits' is a counter, and its total may be more than Int16 holds: declare it as Field<Int?>(\""
            )
        )
        #expect(text.contains("declare it as ToOne<Department>(\"department\")"))
        #expect(text.contains("'badge' is to-one: declare it as ToOne<Badge>"))
        #expect(text.contains("'department' leads to objects of the entity 'Department', not to Badge"))
    }

    @Test func keysOfSuperclassesAreCheckedToo() async throws {
        let problems = try await Self.problems([Worse.self, Department.self, Project.self, Badge.self])
        #expect(problems.first?.field == "Field<String>(\"crew\")")
        #expect(problems.count == 10)
    }

    @Test func aPropertyWithoutAListedKeyIsToldWithTheLineToAdd() async throws {
        let others: [ManagedObject.Type] = [Department.self, Project.self, Badge.self]
        let problems = try await Self.problems([Incomplete.self, IncompleteForeman.self] + others)
        let missing = [
            "Field<String?>(\"code\")", "Field<String?>(\"mood\")", "Field<Double?>(\"salary\")",
            "Field<Int?>(\"visits\")", "ToOne<Badge>(\"badge\")", "ToOne<Department>(\"department\")",
            "ToMany<ManagedObject>(\"lockers\")", "ToMany<ManagedObject>(\"notes\")", "ToMany<Project>(\"projects\")",
        ]
        #expect(problems.filter { $0.className == "Incomplete" }.map(\.field) == missing)
        // What the class of the parent lacks is told once.
        #expect(problems.filter { $0.className == "IncompleteForeman" }.map(\.field) == ["Field<Double?>(\"bonus\")"])
        #expect(problems.allSatisfy(\.isMissing) && problems.last?.entity == "Foreman")
        #expect(
            ContextError.fields(problems).description.contains(
                "the class Incomplete lists no key ToOne<Badge>(\"badge\") for the entity 'Employee': "
                    + "add `static let badge = ToOne<Badge>(\"badge\")` to the class, if it does not have it, and list it in "
                    + "declaredFields"
            )
        )
        #expect(try await Self.problems([Completed.self] + others).isEmpty)
        #expect(try await Self.problems([Partial.self] + others).isEmpty)
        // Without the class of the parent the subclass answers for all of it.
        #expect(try await Self.problems([IncompleteForeman.self] + others).count == missing.count + 1)
    }

    @Test func aTargetWithoutItsClassIsReported() async throws {
        let problems = try await Self.problems([Employee.self])
        #expect(
            problems.map(\.field) == [
                "ToOne<Department>(\"department\")", "ToMany<Project>(\"projects\")", "ToOne<Badge>(\"badge\")",
            ]
        )
        #expect(problems.allSatisfy { $0.reason.hasSuffix("give the container a class for it") })
        #expect(try await Self.problems(Company.classes).isEmpty)
    }

    @Test func aClassThatWasNotGivenIsAnErrorWhereverItIsFetched() async throws {
        let container = try await Company.openInMemory(classes: [Unlisted.self])
        let error = ContextError.classNotGiven(entity: "Badge", className: "Badge")
        try await container.newBackgroundContext().perform { context in
            try context.insert(entity: "Badge")
            try context.save()
            let request = FetchRequest("Badge")
            #expect(throws: error) { try context.insert(Badge.self) }
            #expect(throws: error) { try context.fetch(Badge.self) }
            #expect(throws: error) { try context.fetch(request, as: Badge.self) }
            #expect(throws: error) { try context.fetchBatches(request, as: Badge.self) }
            #expect(throws: error) { try FetchedResultsController<Badge>(request, context: context) }
            #expect(throws: error) { try context.upsert(Badge.self, by: ["number": .integer(1)]) }
            #expect(try context.fetch(request, as: ManagedObject.self).count == 1)
        }
        await #expect(throws: error) { try await Self.streamed(container) }
    }

    @MainActor
    private static func streamed(_ container: PersistentContainer) async throws {
        for try await _ in container.viewContext.stream(FetchRequest("Badge"), as: Badge.self) {}
    }

    @Test func aKeyThatIsNotListedStopsTheProgramWhenItIsUsed() async throws {
        let missing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let container = try await Company.openInMemory(classes: [DeclaredFieldTests.Unlisted.self])
            try await container.newBackgroundContext().perform { context in
                try context.insert(DeclaredFieldTests.Unlisted.self)[DeclaredFieldTests.Unlisted.salry] = 1
            }
        }
        #expect(missing.errors.contains("Field<Optional<Double>>(\"salry\") of the class Unlisted does not fit"))
        let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let container = try await Company.openInMemory(classes: [DeclaredFieldTests.Unlisted.self])
            try await container.newBackgroundContext().perform { context in
                _ = try context.insert(DeclaredFieldTests.Unlisted.self)[DeclaredFieldTests.Unlisted.number]
            }
        }
        #expect(other.errors.contains("'name' is of the type String, which takes no Int64"))
    }

    private final class Gauge: ManagedObject {
        override class var entityName: String { "Gauge" }
        static let small = Field<Int16>("small")
        static let plain = Field<Int16>("plain")
        static let wide = Field<Int>("wide")
        static let long = Field<Int64>("long")
        override class var declaredFields: [any DeclaredField] { [small, plain, wide, long] }
    }

    /// The sum of what several writers add may be beyond the range of the attribute's type.
    @Test func aCounterNeedsAnIntegerOf64Bits() async throws {
        let counter = "merge: counter, default: 0}"
        let model = try Model(
            yaml: """
                entities:
                  Gauge:
                    attributes:
                      small: {type: Integer 16, \(counter)
                      plain: {type: Integer 16, default: 0}
                      wide: {type: Integer 32, \(counter)
                      long: {type: Integer 16, \(counter)
                """
        )
        let error = await #expect(throws: ContextError.self) {
            try await PersistentContainer(name: "gauge", model: model, classes: [Gauge.self], store: .memory)
        }
        guard case .fields(let problems)? = error else { throw Unexpected(error) }
        #expect(problems.map(\.field) == ["Field<Int16>(\"small\")"])
        #expect(problems.first?.reason.hasSuffix("declare it as Field<Int>(\"small\")") == true, "\(problems)")
    }
}
