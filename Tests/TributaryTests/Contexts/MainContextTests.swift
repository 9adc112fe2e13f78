import TestSupport
import Testing
import Tributary

/// The daily work of Core Data programs: import in the background, show on the main actor, pass IDs, quit.
@MainActor
struct MainContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func aSaveElsewhereOfTheSameObjectIsMergedPropertyByProperty() async throws {
        let employee = try await container.hireIntoView("Ann")
        let id = employee.objectID
        employee.name = "Bob"
        try await container.change(id) { $0.salary = 5 }
        try container.viewContext.save()
        #expect(employee.name == "Bob" && employee.salary == 5)
    }

    @Test func relationshipsFollowAMerge() async throws {
        let view = container.viewContext
        let department = try view.insert(Department.self)
        try view.save()
        #expect(department.employees.isEmpty)
        let id = department.objectID
        try await container.save { try $0.hire("Ann").department = $0.object(with: id) as? Department }
        #expect(department.employees.isEmpty)
        await container.mergePendingChanges()
        #expect(department.employees.map(\.name) == ["Ann"])
    }

    @Test func closingWaitsForWhatWasAccepted() async throws {
        let background = container.newBackgroundContext()
        for number in 0..<20 {
            background.enqueue { _ = try? $0.hireAndSave("E\(number)") }
        }
        try await container.close()
        #expect(container.pendingSaves == 0)
        let view = container.viewContext
        #expect(throws: ContextError.closed) { try view.insert(Employee.self) }
        let again = try await Company.open(folder)
        #expect(try again.viewContext.count(for: FetchRequest("Employee")) == 20)
        try await again.close()
    }
}
