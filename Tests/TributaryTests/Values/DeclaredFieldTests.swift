import TestSupport
import Testing
import Tributary

/// Keys of classes that stand for no property of the entity.
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
    }

    /// A subclass lists its own keys alone; those of the superclass are checked too.
    final class Worse: Misfit {
        override class var entityName: String { "Foreman" }
        static let crew = Field<String>("crew")
        override class var declaredFields: [any DeclaredField] { [crew] }
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
        #expect(text.contains("'visits' is of the type Integer 64, more than Int16 holds"))
        #expect(text.contains("declare it as ToOne<Department>(\"department\")"))
        #expect(text.contains("'badge' is to-one: declare it as ToOne<Badge>"))
        #expect(text.contains("'department' leads to objects of the entity 'Department', not to Badge"))
    }

    @Test func keysOfSuperclassesAreCheckedToo() async throws {
        let problems = try await Self.problems([Worse.self, Department.self, Project.self, Badge.self])
        #expect(problems.first?.field == "Field<String>(\"crew\")")
        #expect(problems.count == 10)
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
        let error = ContextError.wrongKind(
            entity: "Badge",
            property: "class",
            expected: "Badge: give the class to the container"
        )
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
}
