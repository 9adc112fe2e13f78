import TestSupport
import Testing
import Tributary

/// A fault reads its row and nothing else.
struct FaultFiringTests {
    private let statements = StatementCounter()
    private let folder: TemporaryFolder
    private let container: PersistentContainer
    private let id: ManagedObjectID

    /// An employee of a department with two of them, and a container that has read none of it.
    init() async throws {
        folder = try TemporaryFolder("firing")
        let first = try await Company.open(.file, in: folder)
        id = try await first.save { context in
            let department = try context.department("Ships")
            let ann = try context.insert(Employee.self)
            (ann.name, ann.salary, ann.code, ann.department) = ("Ann", 1000, "AB1", department)
            try context.hire("Bob").department = department
            return ann.objectID
        }
        try await first.close()
        container = try await Company.open(.file, in: folder, sqlLog: statements.log)
    }

    @Test func firingLoadsAllAttributesAndTheIDsOfToOneRelationships() async throws {
        await container.performBackgroundTask { context in
            let ann = context.object(with: id, as: Employee.self)
            #expect(ann?.name == "Ann")
            let asked = statements.count
            #expect(ann?.salary == 1000 && ann?.age == 30 && ann?.code == "AB1" && ann?.visits == 0)
            #expect(ann?[idOf: Employee.department] != nil, "a register of its row")
            #expect(ann?.isFault == false)
            #expect(statements.count == asked, "all came with the first read")
        }
    }

    @Test func theTargetOfAToOneRelationshipIsAFaultOfItsOwn() async throws {
        await container.performBackgroundTask { context in
            let ann = context.object(with: id, as: Employee.self)
            _ = ann?.name
            let asked = statements.count
            let department = ann?.department
            #expect(department?.isFault == true)
            #expect(statements.count == asked, "knowing it does not read it")
            #expect(department?.title == "Ships")
            #expect(department?.isFault == false && statements.count > asked)
        }
    }

    @Test func aToManyRelationshipIsAFaultOfItsOwn() async throws {
        await container.performBackgroundTask { context in
            let department = context.object(with: id, as: Employee.self)?.department
            #expect(department?.title == "Ships")
            let asked = statements.count
            let employees = department?.employees
            let read = statements.count
            #expect(employees?.count == 2 && read > asked, "the row did not have it")
            #expect(department?.employees == employees)
            #expect(statements.count == read, "it is read once")
        }
    }
}
