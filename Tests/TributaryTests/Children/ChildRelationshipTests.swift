import TestSupport
import Testing
import Tributary
import TributaryStore

@MainActor
struct ChildRelationshipTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open() }

    @Test func aToManyShowsTheParentsUnsavedLinks() throws {
        let (department, ann) = (try view.insert(Department.self), try view.hire("Ann"))
        try view.save()
        ann.department = department
        let child = view.newChild()
        let copy = try #require(child.object(with: department.objectID, as: Department.self))
        #expect(copy.employees.map(\.name) == ["Ann"])
        #expect(child.object(with: ann.objectID, as: Employee.self)?.department === copy)
        ann.department = nil
        child.processPendingChanges()
        #expect(copy.employees.isEmpty)
    }

    @Test func aRegisterThatTheChildSetsMovesTheParentsInverse() throws {
        let (department, ann) = (try view.insert(Department.self), try view.hire("Ann"))
        let child = view.newChild()
        child.object(with: ann.objectID, as: Employee.self)?.department =
            child.object(with: department.objectID, as: Department.self)
        #expect(department.employees.isEmpty)
        try child.save()
        #expect(department.employees == [ann] && ann.department === department)
    }

    @Test func pairsGoUp() throws {
        let (project, ann) = (try view.insert(Project.self), try view.hire("Ann"))
        try view.save()
        let child = view.newChild()
        let copy = try #require(child.object(with: project.objectID, as: Project.self))
        copy.members = [try #require(child.object(with: ann.objectID, as: Employee.self))]
        try child.save()
        #expect(project.members == [ann] && ann.projects == [project])
        #expect(copy.members.map(\.name) == ["Ann"])
        copy.members = []
        try child.save()
        #expect(project.members.isEmpty && ann.projects.isEmpty && copy.members.isEmpty)
    }

    @Test func pairsOfNewObjectsGoThroughTwoLevels() async throws {
        let child = view.newChild()
        let grandchild = child.newChild()
        let (project, ann) = (try grandchild.insert(Project.self), try grandchild.hire("Ann"))
        ann.projects = [project]
        try grandchild.save()
        try child.save()
        try view.save()
        let stored = try #require(view.object(with: project.objectID, as: Project.self))
        #expect(stored.members.map(\.objectID) == [ann.objectID])
        let id = ann.objectID
        let links = try await container.performBackgroundTask { try $0.object(with: id).objectIDs(forKey: "projects") }
        #expect(links == [project.objectID])
    }

    @Test func aOneToOneThatTheChildMovesLetsGoAbove() throws {
        let (ann, bob) = (try view.hire("Ann"), try view.hire("Bob"))
        let badge = try view.insert(Badge.self)
        badge.owner = ann
        try view.save()
        let child = view.newChild()
        child.object(with: badge.objectID, as: Badge.self)?.owner = child.object(with: bob.objectID, as: Employee.self)
        try child.save()
        #expect(badge.owner === bob && bob.badge === badge && ann.badge == nil)
    }

    @Test func whoeverHoldsTheTargetInTheParentLetsGoOfIt() throws {
        let ann = try view.hireAndSave("Ann")
        let child = view.newChild()
        let mine = try child.insert(Badge.self)
        mine.owner = child.object(with: ann.objectID, as: Employee.self)
        let theirs = try view.insert(Badge.self)
        theirs.owner = ann
        try child.save()
        #expect(theirs.owner == nil && ann.badge?.objectID == mine.objectID)
    }

    @Test func aCascadeRunsInTheChild() throws {
        let (ann, badge) = (try view.hire("Ann"), try view.insert(Badge.self))
        badge.owner = ann
        try view.save()
        let child = view.newChild()
        child.delete(child.object(with: ann.objectID))
        child.processPendingChanges()
        #expect(child.deletedObjects.count == 2 && badge.state == .clean)
        try child.save()
        #expect(ann.isDeleted && badge.isDeleted)
    }

    @Test func nullifyRunsInTheChild() throws {
        let (department, ann) = (try view.insert(Department.self), try view.hire("Ann"))
        ann.department = department
        try view.save()
        let child = view.newChild()
        child.delete(child.object(with: department.objectID))
        try child.save()
        #expect(ann.department == nil && department.isDeleted)
    }

    @Test func denyIsCheckedAtTheChildsSave() throws {
        let ann = try view.hire("Ann")
        try view.insert("Locker", ["holder": .reference(ann.uniqueID)])
        let child = view.newChild()
        child.delete(child.object(with: ann.objectID))
        #expect(throws: ValidationError.self) { try child.save() }
        #expect(!ann.isDeleted)
    }

    @Test func aRollbackGoesBackToTheParentsState() throws {
        let (ann, child, copy) = try view.hireAboveChild()
        copy.name = "Child"
        let other = try child.hire("Bob")
        child.rollback()
        #expect(copy.name == "Ann" && other.state == .gone && !child.hasChanges)
        #expect(view.hasChanges && ann.name == "Ann")
    }

    @Test func aDeletionIsRolledBack() throws {
        let ann = try view.hire("Ann")
        let child = view.newChild()
        let copy = child.object(with: ann.objectID)
        child.delete(copy)
        child.rollback()
        #expect(copy.state == .clean)
        #expect(try child.count(for: FetchRequest("Employee")) == 1)
    }

    @Test func aRollbackOfTheParentReachesTheChild() throws {
        let ann = try view.hireAndSave("Ann")
        ann.name = "Bea"
        let child = view.newChild()
        let copy = try #require(child.object(with: ann.objectID, as: Employee.self))
        #expect(copy.name == "Bea" && copy.state == .clean)
        view.rollback()
        child.processPendingChanges()
        #expect(copy.name == "Ann")
    }

    @Test func aResetForgetsTheChildAlone() throws {
        let (ann, child, copy) = try view.hireAboveChild()
        copy.name = "Child"
        child.reset()
        #expect(copy.state == .detached && !child.hasChanges && view.hasChanges)
        #expect(child.object(with: ann.objectID, as: Employee.self)?.name == "Ann")
    }

    @Test func aRefreshReadsTheParent() throws {
        let (ann, child, copy) = try view.hireAboveChild()
        copy.salary = 2
        ann.name = "Bea"
        child.refresh(copy, mergeChanges: true)
        #expect(copy.name == "Bea" && copy.salary == 2)
        child.refresh(copy, mergeChanges: false)
        #expect(copy.isFault && copy.salary == nil && copy.name == "Bea")
    }

    @Test func aChildOfABackgroundContextWorksInsideItsPerform() async throws {
        let count = try await container.performBackgroundTask { context in
            let child = context.newChild()
            try child.hireAndSave("Ann")
            #expect(context.insertedObjects.count == 1)
            try context.save()
            return try child.count(for: FetchRequest("Employee"))
        }
        #expect(count == 1)
    }
}
