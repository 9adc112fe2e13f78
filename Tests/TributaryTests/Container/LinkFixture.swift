import TestSupport
import Testing
import Tributary

/// A store with an employee, a project and a department that have nothing to do with each other yet.
struct LinkFixture: Sendable {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let ann: ManagedObjectID
    let till: ManagedObjectID
    let sales: ManagedObjectID

    init(_ name: String, rules: Company.Rules = Company.Rules()) async throws {
        folder = try TemporaryFolder(name)
        container = try await Company.open(folder, model: try Company.model(rules))
        container.setMergeOptions(.unsaved)
        (ann, till, sales) = try await container.save { context in
            (
                try context.hire("Ann").objectID, try context.project("Till").objectID,
                try context.insert(Department.self).objectID
            )
        }
        await container.mergePendingChanges()
    }

    /// Links the two objects, or unlinks them; unread objects are faults.
    @discardableResult
    func link(_ context: ManagedObjectContext, _ isLinked: Bool = true) throws -> (Employee, Project) {
        let employee = try #require(context.object(with: ann, as: Employee.self))
        let project = try #require(context.object(with: till, as: Project.self))
        if isLinked {
            try employee.link(project, forKey: "projects")
        } else {
            try employee.unlink(project, forKey: "projects")
        }
        return (employee, project)
    }

    /// Links the two in another context, and has the main one merge it.
    func linkElsewhere() async throws {
        try await container.save { _ = try link($0) }
        await container.mergePendingChanges()
    }

    /// Whether the context shows the two as linked; from both ends alike.
    func linked(_ context: ManagedObjectContext) throws -> Bool {
        let here = try context.object(with: ann).objectIDs(forKey: "projects") == [till]
        #expect(try context.object(with: till).objectIDs(forKey: "members").contains(ann) == here)
        return here
    }
}
