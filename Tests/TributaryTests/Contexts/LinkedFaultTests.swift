import TestSupport
import Testing
import Tributary

/// Pairs that a context links before it has read the rows of their ends, or that others have linked meanwhile.
struct LinkedFaultTests {
    let fixture: LinkFixture

    init() async throws { fixture = try await LinkFixture("linkedfault") }

    @Test func itReadsItsRow() async throws {
        try await fixture.container.performBackgroundTask { context in
            let (employee, project) = try fixture.link(context)
            #expect(employee.name == "Ann" && project.title == "Till")
            #expect(project.state == .updated && project.changedValues().isEmpty)
        }
    }

    @Test func valuesWrittenToALinkedFaultAreSaved() async throws {
        try await fixture.container.save { context in
            let (employee, project) = try fixture.link(context)
            project.title = "Web"
            employee.salary = 3
        }
        try await fixture.container.performBackgroundTask { context in
            let employee = try #require(context.object(with: fixture.ann, as: Employee.self))
            #expect(employee.name == "Ann" && employee.salary == 3)
            #expect(employee.projects.map(\.title) == ["Web"])
        }
    }

    @Test @MainActor func aMergedUpdateReachesIt() async throws {
        let view = fixture.container.viewContext
        view.undoStack = nil
        let employee = try #require(view.object(with: fixture.ann, as: Employee.self))
        let project = try #require(view.object(with: fixture.till, as: Project.self))
        try employee.link(project, forKey: "projects")
        let id = fixture.ann
        try await fixture.container.change(id) { $0.name = "Bea" }
        await fixture.container.mergePendingChanges()
        #expect(employee.name == "Bea" && employee.projects == [project])
        try view.save()
        #expect(!view.hasChanges)
    }

    @Test func aChildSeesTheRowOfOneThatItsParentHasLinked() async throws {
        try await fixture.container.performBackgroundTask { context in
            _ = try fixture.link(context)
            let child = context.newChild()
            let employee = try #require(child.object(with: fixture.ann, as: Employee.self))
            #expect(employee.name == "Ann" && employee.projects.map(\.title) == ["Till"])
        }
    }

    @Test func anObjectWhoseRowIsMissingLeavesNoLinkBehind() async throws {
        let background = fixture.container.newBackgroundContext()
        try await background.perform { _ = try fixture.link($0) }
        let id = fixture.till
        try await fixture.container.delete(id)
        try await background.perform { context in
            let project = context.object(with: id)
            #expect(throws: ContextError.self) { try project.load() }
            #expect(project.state == .gone && context.object(with: fixture.ann, as: Employee.self)?.projects == [])
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: [true, false])
    func linksThatOthersHaveChangedMeanwhileCanBeChangedBack(_ isLinked: Bool) async throws {
        try await fixture.container.save { _ = try fixture.link($0, !isLinked) }
        let background = fixture.container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { context in
            context.retainsRegisteredObjects = true
            context.automaticallyMergesChangesFromParent = true
            try fixture.link(context, isLinked)
        }
        try await fixture.container.save { _ = try fixture.link($0, isLinked) }
        try await background.perform { context in
            #expect(try fixture.linked(context) == isLinked)
            try fixture.link(context, !isLinked)
            #expect(try fixture.linked(context) == !isLinked)
            try context.save()
            #expect(try fixture.linked(context) == !isLinked)
        }
        let stored = try await fixture.container.performBackgroundTask { try fixture.linked($0) }
        #expect(stored == !isLinked)
    }
}
