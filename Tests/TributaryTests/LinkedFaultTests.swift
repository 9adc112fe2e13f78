import TestSupport
import Testing
import Tributary

/// An object that was linked before its row was read: dirty, and still a fault.
struct LinkedFaultTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let ann: ManagedObjectID
    let till: ManagedObjectID

    init() async throws {
        folder = try TemporaryFolder("linkedfault")
        container = try await Company.open(folder)
        (ann, till) = try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.name = "Ann"
            let project = try context.insert(Project.self)
            project.title = "Till"
            try context.save()
            return (employee.objectID, project.objectID)
        }
    }

    /// Links the two as faults.
    private func link(_ context: ManagedObjectContext) throws -> (Employee, Project) {
        let employee = try #require(context.object(with: ann, as: Employee.self))
        let project = try #require(context.object(with: till, as: Project.self))
        try employee.link(project, forKey: "projects")
        return (employee, project)
    }

    @Test
    func itReadsItsRow() async throws {
        try await container.performBackgroundTask { context in
            let (employee, project) = try link(context)
            #expect(employee.name == "Ann" && project.title == "Till")
            #expect(project.state == .updated && project.changedValues().isEmpty)
        }
    }

    @Test
    func whatIsWrittenToItIsSaved() async throws {
        try await container.performBackgroundTask { context in
            let (employee, project) = try link(context)
            project.title = "Web"
            employee.salary = 3
            try context.save()
        }
        try await container.performBackgroundTask { context in
            let employee = try #require(context.object(with: ann, as: Employee.self))
            #expect(employee.name == "Ann" && employee.salary == 3)
            #expect(employee.projects.map(\.title) == ["Web"])
        }
    }

    @Test @MainActor
    func aMergedUpdateReachesIt() async throws {
        let view = container.viewContext
        view.undoStack = nil
        let employee = try #require(view.object(with: ann, as: Employee.self))
        let project = try #require(view.object(with: till, as: Project.self))
        container.setMergeOptions(withoutSaving)
        try employee.link(project, forKey: "projects")
        let id = ann
        try await container.performBackgroundTask { context in
            context.object(with: id, as: Employee.self)?.name = "Bea"
            try context.save()
        }
        await container.mergePendingChanges()
        #expect(employee.name == "Bea" && employee.projects == [project])
        try view.save()
        #expect(!view.hasChanges)
    }

    private var withoutSaving: MergeOptions {
        var options = MergeOptions.fixture
        options.saves = false
        return options
    }

    @Test
    func aChildSeesTheRowOfOneThatItsParentHasLinked() async throws {
        try await container.performBackgroundTask { context in
            _ = try link(context)
            let child = context.newChild()
            let employee = try #require(child.object(with: ann, as: Employee.self))
            #expect(employee.name == "Ann" && employee.projects.map(\.title) == ["Till"])
        }
    }

    @Test
    func oneWhoseRowIsGoneLeavesNoLinkBehind() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { _ = try link($0) }
        let id = till
        try await container.performBackgroundTask { context in
            context.delete(context.object(with: id))
            try context.save()
        }
        try await background.perform { context in
            let project = context.object(with: id)
            #expect(throws: ContextError.self) { try project.load() }
            #expect(project.state == .gone && context.object(with: ann, as: Employee.self)?.projects == [])
            try context.save()
            #expect(!context.hasChanges)
        }
    }
}
