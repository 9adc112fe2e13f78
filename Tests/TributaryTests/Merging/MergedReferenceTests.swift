import TestSupport
import Testing
import Tributary

/// Merges and parent contexts keep relationships to objects that a context has changed or deleted and not saved.
@MainActor
struct MergedReferenceTests {
    private func orphans(_ context: ManagedObjectContext) throws -> [ManagedObjectID] {
        try context.fetchIDs(FetchRequest("Employee", where: "department == NULL"))
    }

    // MARK: Pairs

    @Test func aPairThatAChildUnlinksStaysUnlinkedWhenAMergeBringsItToItsParent() async throws {
        let fixture = try await LinkFixture("unlinking")
        let view = fixture.container.viewContext
        try fixture.link(view)
        let child = fixture.container.newChildOfViewContext(name: "child")
        try await child.perform { context in
            try fixture.link(context, false)
            #expect(try !fixture.linked(context))
        }
        try await fixture.linkElsewhere()
        #expect(try fixture.linked(view))
        try await child.perform { context in
            #expect(try !fixture.linked(context))
            try context.save()
            #expect(try !fixture.linked(context))
        }
        #expect(try !fixture.linked(view))
        try view.save()
        let isLinked = try await fixture.container.performBackgroundTask { try fixture.linked($0) }
        #expect(!isLinked)
    }

    @Test func aPairThatAMergeBringsToADeletedObjectIsNotShown() async throws {
        let fixture = try await LinkFixture("deleting")
        let view = fixture.container.viewContext
        view.delete(view.object(with: fixture.ann))
        view.processPendingChanges()
        try await fixture.linkElsewhere()
        let project = try #require(view.object(with: fixture.till, as: Project.self))
        #expect(project.members.isEmpty)
        #expect(try view.count(for: FetchRequest("Project", where: "members.@count == 0")) == 1)
        view.rollback()
        #expect(project.members.map(\.name) == ["Ann"])
        #expect(try fixture.linked(view))
        view.delete(view.object(with: fixture.ann))
        try view.save()
        #expect(project.members.isEmpty)
    }

    @Test func norIsItOnceTheDeletionIsSaved() async throws {
        let fixture = try await LinkFixture("deleting")
        let view = fixture.container.viewContext
        view.delete(view.object(with: fixture.till))
        view.processPendingChanges()
        try await fixture.linkElsewhere()
        let employee = try #require(view.object(with: fixture.ann, as: Employee.self))
        #expect(try employee.objectIDs(forKey: "projects").isEmpty)
        try view.save()
        #expect(try employee.objectIDs(forKey: "projects").isEmpty)
    }

    @Test func norIsOneThatComesToAChildWhichHasDeletedTheObject() async throws {
        let fixture = try await LinkFixture("deleting")
        let child = fixture.container.newChildOfViewContext(name: "child")
        await child.perform { $0.delete($0.object(with: fixture.ann)) }
        try await fixture.linkElsewhere()
        try await child.perform { context in
            #expect(try context.object(with: fixture.till).objectIDs(forKey: "members") == [])
            try context.save()
        }
        let view = fixture.container.viewContext
        #expect(try view.object(with: fixture.till).objectIDs(forKey: "members") == [])
        try view.save()
        let left = try await fixture.container.performBackgroundTask { context in
            try context.object(with: fixture.till).objectIDs(forKey: "members")
        }
        #expect(left == [])
    }

    // MARK: Registers

    @Test(arguments: [DeleteRule.nullify, .cascade])
    func aReferenceThatAMergeBringsToADeletedObjectReadsNil(_ rule: DeleteRule) async throws {
        let fixture = try await LinkFixture("referring", rules: Company.Rules(employees: rule))
        let view = fixture.container.viewContext
        let ann = try #require(view.object(with: fixture.ann, as: Employee.self))
        view.delete(view.object(with: fixture.sales))
        view.processPendingChanges()
        try await fixture.container.save { context in
            context.object(with: fixture.ann, as: Employee.self)?[idOf: Employee.department] = fixture.sales
        }
        await fixture.container.mergePendingChanges()
        #expect(ann.department == nil && ann[idOf: Employee.department] == nil)
        #expect(try orphans(view) == [fixture.ann])
        let child = view.newChild()
        #expect(child.object(with: fixture.ann, as: Employee.self)?.department == nil)
        #expect(try orphans(child) == [fixture.ann])
        view.rollback()
        #expect(ann[idOf: Employee.department] == fixture.sales)
        #expect(try orphans(view).isEmpty)
        #expect(try orphans(child).isEmpty)
    }

    @Test func underDenyItIsShownUntilTheSaveWhichItForbids() async throws {
        let fixture = try await LinkFixture("denying", rules: Company.Rules(employees: .deny))
        let view = fixture.container.viewContext
        let ann = try #require(view.object(with: fixture.ann, as: Employee.self))
        view.delete(view.object(with: fixture.sales))
        try await fixture.container.save { context in
            context.object(with: fixture.ann, as: Employee.self)?[idOf: Employee.department] = fixture.sales
        }
        await fixture.container.mergePendingChanges()
        #expect(ann[idOf: Employee.department] == fixture.sales)
        // To a condition, and to a child, what is deleted is not there.
        #expect(try orphans(view) == [fixture.ann])
        let child = view.newChild()
        #expect(child.object(with: fixture.ann, as: Employee.self)?.department == nil)
        #expect(throws: ValidationError.self) { try view.save() }
        ann.department = nil
        try view.save()
        #expect(try view.fetchIDs(FetchRequest("Department")).isEmpty)
    }

    @Test func aReferenceToAnUnsavedObjectThatTheParentInvalidatedReadsNil() async throws {
        let fixture = try await LinkFixture("vanishing")
        let view = fixture.container.viewContext
        let research = try view.insert(Department.self).objectID
        let child = fixture.container.newChildOfViewContext(name: "child")
        let grandchild = child.newChild(name: "grandchild")
        try await child.perform { context in
            let ann = try #require(context.object(with: fixture.ann, as: Employee.self))
            ann[idOf: Employee.department] = research
        }
        let shown = await grandchild.perform { context in
            context.object(with: fixture.ann, as: Employee.self)?[idOf: Employee.department]
        }
        #expect(shown == research)
        view.delete(view.object(with: research))
        for context in [child, grandchild] {
            try await context.perform { context in
                let ann = try #require(context.object(with: fixture.ann, as: Employee.self))
                #expect(ann.department == nil && ann[idOf: Employee.department] == nil)
                #expect(try context.fetchIDs(FetchRequest("Employee", where: "department == NULL")) == [fixture.ann])
            }
        }
    }

    @Test func anObjectThatAChildHasOnlyUnlinkedGoesWithItsDeletionAbove() async throws {
        let fixture = try await LinkFixture("unlinked")
        try await fixture.linkElsewhere()
        let child = fixture.container.newChildOfViewContext(name: "child")
        let grandchild = child.newChild(name: "grandchild")
        // The project is not read here: the deletion takes its pair away.
        await grandchild.perform { $0.delete($0.object(with: fixture.ann)) }
        await child.perform { $0.delete($0.object(with: fixture.till)) }
        try await grandchild.perform { context in
            let projects = try context.fetchIDs(FetchRequest("Project"))
            #expect(projects.isEmpty)
            #expect(context.updatedObjects.isEmpty && context.deletedObjects.count == 1)
        }
    }
}
