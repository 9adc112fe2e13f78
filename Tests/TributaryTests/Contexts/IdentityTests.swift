import Foundation
import TestSupport
import Testing
import Tributary
import TributaryStore

/// IDs are final and comparable, and a context has one object for each ID.
struct IdentityTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func add(_ name: String, id: UniqueID? = nil) async throws -> ManagedObjectID {
        try await container.save { context in
            let employee = try context.insert(Employee.self, id: id)
            employee.name = name
            return employee.objectID
        }
    }

    @Test func anIDIsFinalFromTheFirstMoment() async throws {
        let ids = try await container.performBackgroundTask { context in
            let employees = try (0..<50).map { _ in try context.insert(Employee.self) }
            for employee in employees { employee.name = "new" }
            let before = employees.map(\.objectID)
            try context.save()
            #expect(employees.map(\.objectID) == before)
            return before
        }
        #expect(Set(ids).count == 50)
        for id in ids {
            #expect(id.uniqueID.high >> 12 & 0xF == 7, "a UUID of version 7")
            #expect(id.uniqueID.low >> 62 == 2, "of the usual variant")
        }
        let milliseconds = ids.map { $0.uniqueID.high >> 16 }
        #expect(milliseconds == milliseconds.sorted(), "ordered by time")
        #expect(
            try await container.performBackgroundTask { try Set($0.fetchIDs(FetchRequest("Employee"))) } == Set(ids)
        )
    }

    @Test func aContextHasOneObjectForAnID() async throws {
        let ann = try await add("Ann")
        let department = try await container.save { context in
            let department = try context.insert(Department.self)
            department.employees = [try #require(context.object(with: ann, as: Employee.self))]
            return department.objectID
        }
        try await container.performBackgroundTask { context in
            let fault = context.object(with: ann)
            #expect(context.object(with: ann) === fault)
            #expect(context.registeredObject(for: ann) === fault)
            #expect(try context.existingObject(with: ann) === fault)
            #expect(try context.fetch(Employee.self).first === fault)
            #expect(context.object(with: department, as: Department.self)?.employees.first === fault)
            let other = try container.newBackgroundContext().performAndWait { other in
                let twin = try other.existingObject(with: ann)
                #expect(twin.objectID == ann)
                return ObjectIdentifier(twin)
            }
            #expect(other != ObjectIdentifier(fault), "another context has another")
            #expect(Set([fault, context.object(with: ann)]).count == 1, "hashable by identity")
        }
    }

    @Test func theConcreteEntityIsPartOfTheIDButNotOfItsEquality() async throws {
        let foreman = try await container.save { context in
            let foreman = try context.insert(Foreman.self)
            foreman.name = "Fay"
            return foreman.objectID
        }
        #expect(foreman.entity == "Foreman" && foreman.rootEntity == "Employee")
        let asEmployee = ManagedObjectID(
            store: "elsewhere",
            entity: "Employee",
            rootEntity: "Employee",
            uniqueID: foreman.uniqueID
        )
        #expect(asEmployee == foreman && asEmployee.hashValue == foreman.hashValue)
        let name = try await container.performBackgroundTask { context in
            (try context.existingObject(with: asEmployee) as? Foreman)?.name
        }
        #expect(name == "Fay", "the row says of which class it is")
    }

    @Test func oneUUIDUnderTwoRootEntitiesIsTwoObjects() async throws {
        let uniqueID = UniqueID(UUID())
        let ids = try await container.save { context in
            let employee = try context.insert(Employee.self, id: uniqueID)
            employee.name = "Ann"
            let department = try context.insert(Department.self, id: uniqueID)
            department.title = "Ships"
            return [employee.objectID, department.objectID]
        }
        #expect(ids[0] != ids[1] && ids[0].uniqueID == ids[1].uniqueID)
        await container.performBackgroundTask { context in
            #expect(context.object(with: ids[0], as: Employee.self)?.name == "Ann")
            #expect(context.object(with: ids[1], as: Department.self)?.title == "Ships")
        }
    }

    @Test func aURIMadeOnOneMachineResolvesOnAnother() async throws {
        let ann = try await add("Ann")
        let elsewhere = try TemporaryFolder("identity")
        let other = try await Company.open(elsewhere)
        try await other.save { try $0.insert(Employee.self, id: ann.uniqueID).name = "Ann, elsewhere" }
        let received = try #require(ManagedObjectID(uri: ann.uri))
        #expect(received == ann && received.store == "company" && received.entity == "Employee")
        let name = try await other.performBackgroundTask { (try $0.existingObject(with: received) as? Employee)?.name }
        #expect(name == "Ann, elsewhere")
        let coded = try JSONDecoder().decode([ManagedObjectID].self, from: JSONEncoder().encode([ann]))
        #expect(coded == [ann])
        try await other.close()
    }

    @Test(arguments: [
        "", "tributary://", "tributary://a/b/c", "tributary://a/b/c/d", "http://a/Employee/Employee/x",
        "tributary://a//Employee/0190f1a2-0000-7000-8000-000000000001",
        "tributary://a/Employee/Employee/0190f1a2-0000-7000-8000-000000000001/more",
        "tributary://a%2/Employee/Employee/0190f1a2-0000-7000-8000-000000000001",
    ])
    func textsThatAreNoURIOfAnObjectAreRefused(_ text: String) {
        #expect(ManagedObjectID(uri: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ManagedObjectID].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func namesInAURIMayHoldAnything() throws {
        let id = ManagedObjectID(
            store: "till/12 % ünï",
            entity: "Été",
            rootEntity: "A b",
            uniqueID: UniqueID(high: 1, low: 2)
        )
        let back = try #require(ManagedObjectID(uri: id.uri))
        #expect(back == id && back.store == id.store && back.entity == id.entity)
        #expect(id.uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test func anIDThatIsTakenInTheStoreIsFoundOutAtTheSave() async throws {
        let ann = try await add("Ann")
        try await container.performBackgroundTask { context in
            try context.insert(Employee.self, id: ann.uniqueID).name = "Another Ann"
            #expect(throws: ContextError.self) { try context.insert(Employee.self, id: ann.uniqueID) }
            #expect(throws: ContextError.duplicateID(ann)) { try context.save() }
            #expect(context.hasChanges, "nothing is lost by the refusal")
        }
        await container.performBackgroundTask { context in
            let held = context.object(with: ann, as: Employee.self)
            #expect(held?.name == "Ann")
            #expect(throws: ContextError.duplicateID(ann)) { try context.insert(Employee.self, id: ann.uniqueID) }
        }
    }

    @Test func anIDThatWasDeletedMayBeUsedAgain() async throws {
        let ann = try await add("Ann")
        try await container.save { context in
            let old = try #require(context.object(with: ann, as: Employee.self))
            old.salary = 5
            try context.save()
            context.delete(old)
        }
        let again = try await add("Ann again", id: ann.uniqueID)
        #expect(again == ann)
        try await container.performBackgroundTask { context in
            let employee = try context.existingObject(with: ann, as: Employee.self)
            #expect(employee.name == "Ann again" && employee.salary == nil, "nothing of the old one is left")
            context.delete(employee)
            try context.save()
            try context.insert(Employee.self, id: ann.uniqueID).name = "Cid"
            try context.save()
            #expect(try context.fetch(Employee.self).map(\.name) == ["Cid"])
        }
    }

    @Test func anObjectThatIsNotThereIsNotFound() async throws {
        let nobody = ManagedObjectID(
            store: "company",
            entity: "Department",
            rootEntity: "Department",
            uniqueID: UniqueID(high: 7, low: 7)
        )
        await container.performBackgroundTask { context in
            let fault = context.object(with: nobody)
            #expect(fault.isFault && fault.faultError == nil, "nothing is asked before it is read")
            #expect(context.registeredObject(for: nobody) === fault)
            #expect(throws: ContextError.notFound(nobody)) { try context.existingObject(with: nobody) }
        }
    }
}
