import TestSupport
import Testing

@testable import Tributary

/// Writes to objects that are gone and links with them change nothing, and somebody hears of it: functions that throw
/// do so at once, the others leave it to the next save.
@MainActor
struct InvalidatedObjectTests {
    enum Ending: String, CaseIterable, Sendable {
        case deletedElsewhere, deletedHere, deletedBeforeItWasSaved
    }

    let fixture: LinkFixture
    var view: ManagedObjectContext { fixture.container.viewContext }

    init() async throws { fixture = try await LinkFixture("goneobjects") }

    private func end(_ object: ManagedObject, _ ending: Ending) async throws {
        let id = object.objectID
        switch ending {
        case .deletedElsewhere:
            try await fixture.container.save { $0.delete($0.object(with: id)) }
            await fixture.container.mergePendingChanges()
        case .deletedHere:
            view.delete(object)
            try view.save()
        case .deletedBeforeItWasSaved:
            view.delete(object)
            view.processPendingChanges()
        }
        #expect(object.state == .gone)
    }

    /// An employee, a project or a department of the view context, new where it has to be.
    private func make<Object: ManagedObject>(
        _ type: Object.Type,
        _ id: ManagedObjectID,
        _ ending: Ending
    ) throws -> Object {
        guard ending == .deletedBeforeItWasSaved else {
            return try view.existingObject(with: id, as: Object.self)
        }
        let object = try view.insert(type)
        (object as? Employee)?.name = "Ann"
        return object
    }

    /// The properties that the next save names, each with its rule; the one after it succeeds.
    private func refused(_ context: ManagedObjectContext) throws -> [String: ValidationFailure.Rule] {
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(throws: Never.self) { try context.save() }
        return Dictionary(
            (error?.failures ?? []).map { ("\($0.entity).\($0.property ?? "")", $0.rule) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    // MARK: Writes to it

    @Test(arguments: Ending.allCases)
    func functionsThatThrowRefuseToWriteToIt(_ ending: Ending) async throws {
        let ann = try make(Employee.self, fixture.ann, ending)
        let project = try #require(view.object(with: fixture.till, as: Project.self))
        try await end(ann, ending)
        let error = ContextError.notFound(ann.objectID)
        #expect(throws: error) { try ann.setValue(.string("Bea"), forKey: "name") }
        #expect(throws: error) { try ann.setValue(.reference(fixture.sales.uniqueID), forKey: "department") }
        #expect(throws: error) { try ann.link(project, forKey: "projects") }
        #expect(throws: error) { try ann.unlink(project, forKey: "projects") }
        #expect(throws: error) { try ann.insert(project, forKey: "projects", at: 0) }
        #expect(throws: error) { try ann.setObjects([project], forKey: "projects") }
        let snapshot = ObjectSnapshot(id: ann.objectID, values: ["name": .string("Bea")])
        #expect(throws: error) { try ann.update(from: snapshot) }
        #expect(throws: Never.self) { try ann.setValue(.string("sad"), forKey: "mood") }
        #expect(ann.name == "Ann" && !view.hasChanges, "a transient attribute has no save to be kept by")
        #expect(throws: Never.self) { try view.save() }
    }

    @Test(arguments: Ending.allCases)
    func theSaveNamesWhatTypedSettersCouldNotRefuse(_ ending: Ending) async throws {
        let ann = try make(Employee.self, fixture.ann, ending)
        let project = try #require(view.object(with: fixture.till, as: Project.self))
        let sales = try #require(view.object(with: fixture.sales, as: Department.self))
        try await end(ann, ending)
        ann.name = "Ann"
        #expect(throws: Never.self, "nothing is lost") { try view.save() }
        ann.name = "Bea"
        ann.name = "Cleo"
        ann.department = sales
        ann.projects = [project]
        #expect(ann.name == "Ann" && ann.department == nil && !view.hasChanges)
        let names = ["Employee.name", "Employee.department", "Employee.projects"]
        #expect(try refused(view) == Dictionary(uniqueKeysWithValues: names.map { ($0, .gone) }))
        ann[idOf: Employee.department] = fixture.sales
        ann.add(project, to: Employee.projects)
        #expect(try refused(view) == ["Employee.department": .gone, "Employee.projects": .gone])
        ann.insert(project, into: Employee.projects, at: 0)
        #expect(try refused(view) == ["Employee.projects": .gone])
        ann.remove(project, from: Employee.projects)
        #expect(try refused(view) == ["Employee.projects": .gone])
        ann.name = "Dora"
        view.rollback()
        #expect(throws: Never.self) { try view.save() }
        #expect(try #require(view.object(with: fixture.till, as: Project.self)).members.isEmpty)
    }

    // MARK: Links to it

    @Test(arguments: Ending.allCases) func nothingIsLinkedToIt(_ ending: Ending) async throws {
        let sales = try make(Department.self, fixture.sales, ending)
        let project = try make(Project.self, fixture.till, ending)
        let ann = try view.existingObject(with: fixture.ann, as: Employee.self)
        try await end(sales, ending)
        try await end(project, ending)
        #expect(throws: ContextError.notFound(project.objectID)) { try ann.link(project, forKey: "projects") }
        #expect(throws: ContextError.notFound(project.objectID)) { try ann.setObjects([project], forKey: "projects") }
        #expect(throws: ContextError.notFound(sales.objectID)) { try sales.link(ann, forKey: "employees") }
        #expect(!view.hasChanges)
        ann.department = sales
        ann.projects = [project]
        ann.add(project, to: Employee.projects)
        ann.insert(project, into: Employee.projects, at: 0)
        #expect(ann.department == nil && ann.projects.isEmpty && !view.hasChanges)
        #expect(try refused(view) == ["Employee.department": .gone, "Employee.projects": .gone])
        sales.employees = [ann]
        #expect(try refused(view) == ["Department.employees": .gone])
        // The others of a list are linked.
        let other = try view.insert(Project.self)
        ann.projects = [project, other]
        #expect(ann.projects == [other])
        #expect(try refused(view) == ["Employee.projects": .gone])
        let id = fixture.ann
        let count = try await fixture.container.performBackgroundTask { context in
            try context.object(with: id).objectIDs(forKey: "projects").count
        }
        #expect(count == 1)
    }

    @Test func nothingIsLinkedToWhatTheNextSaveDeletes() throws {
        let ann = try view.existingObject(with: fixture.ann, as: Employee.self)
        let sales = try view.existingObject(with: fixture.sales, as: Department.self)
        view.delete(sales)
        sales.title = "Sales"
        #expect(sales.title == "Sales", "what is written to it goes with it, as in Core Data")
        let reference = PropertyValue.reference(fixture.sales.uniqueID)
        #expect(throws: ContextError.notFound(fixture.sales)) { try ann.setValue(reference, forKey: "department") }
        #expect(throws: ContextError.notFound(fixture.sales)) { try sales.link(ann, forKey: "employees") }
        ann.department = sales
        sales.employees = [ann]
        #expect(ann.department == nil)
        #expect(try refused(view) == ["Employee.department": .gone, "Department.employees": .gone])
    }

    @Test func anOrderedRelationshipRefusesItToo() async throws {
        let folder = try TemporaryFolder("goneordered")
        let container = try await OrderedModel.open(folder)
        let view = container.viewContext
        let list = try view.insert(entity: "List")
        let (a, b) = (try OrderedModel.named("a", "Item", in: view), try OrderedModel.named("b", "Item", in: view))
        let gone = try OrderedModel.named("c", "Item", in: view)
        let items = ToMany<ManagedObject>("items")
        list[items] = [a, b, gone]
        try view.save()
        view.delete(gone)
        try view.save()
        #expect(list[items] == [a, b])
        list.insert(gone, into: items, at: 0)
        list.move(gone, in: items, to: 0)
        #expect(list.replace(at: 0, in: items, with: gone) == nil)
        #expect(list[items] == [a, b])
        #expect(try refused(view) == ["List.items": .gone])
        let error = ContextError.notFound(gone.objectID)
        #expect(throws: error) { try list.insert(gone, forKey: "items", at: 1) }
        #expect(throws: error) { try list.setObjects([b, gone, a], forKey: "items") }
        #expect(list[items] == [a, b], "all or nothing")
        view.delete(list)
        try view.save()
        list.move(b, in: items, to: 0)
        #expect(list.remove(at: 0, from: items) == nil)
        try await container.close()
    }

    // MARK: No context any more

    @Test func anObjectWithoutAContextKeepsTheErrorItself() throws {
        let ann = try view.existingObject(with: fixture.ann, as: Employee.self)
        let new = try view.insert(Project.self)
        view.reset()
        #expect(ann.state == .detached && new.state == .detached)
        #expect(throws: ContextError.detached(fixture.ann)) { try ann.setValue(.string("Bea"), forKey: "name") }
        #expect(throws: ContextError.detached(fixture.ann)) { try ann.setValue(.null, forKey: "department") }
        #expect(throws: ContextError.detached(fixture.ann)) { try ann.link(new, forKey: "projects") }
        #expect(ann.faultError == nil)
        ann.name = "Bea"
        #expect(ann.name == "Ann" && ann.faultError == .detached(fixture.ann))
        // A link goes by the ID: one that is in the store is found again, the other one never was there.
        let again = try view.existingObject(with: fixture.till, as: Project.self)
        again.members = [ann]
        #expect(again.members.map(\.objectID) == [fixture.ann])
        let other = try #require(view.object(with: fixture.ann, as: Employee.self))
        #expect(throws: ContextError.notFound(new.objectID)) { try other.link(new, forKey: "projects") }
        other.add(new, to: Employee.projects)
        #expect(try refused(view) == ["Employee.projects": .gone])
    }

    @Test func anIDThatNoObjectHasReadsAsNil() async throws {
        let sales = fixture.sales
        try await fixture.container.save { $0.delete($0.object(with: sales)) }
        await fixture.container.mergePendingChanges()
        let reference = PropertyValue.reference(sales.uniqueID)
        let ann = try view.existingObject(with: fixture.ann, as: Employee.self)
        try ann.setValue(reference, forKey: "department")
        try view.save()
        #expect(ann.department == nil)
        let row: [String: PropertyValue] = ["name": .string("Bea"), "department": reference]
        try await fixture.container.execute(BatchInsertRequest("Employee", rows: [row]))
        let updating = BatchUpdateRequest("Employee", setting: ["department": .value(reference)])
        try await fixture.container.execute(updating)
        let found = try await fixture.container.performBackgroundTask { context in
            let found = try context.upsert(Employee.self, by: ["name": .string("Cem"), "department": reference])
            try context.save()
            #expect(found.department == nil)
            return try context.fetch(Employee.self).map { $0.department == nil }
        }
        #expect(found == [true, true, true])
    }

    // MARK: Other ways to save

    @Test func theSaveOfAChildNamesItAsWell() throws {
        let child = view.newChild()
        let ann = try child.existingObject(with: fixture.ann, as: Employee.self)
        child.delete(ann)
        try child.save()
        ann.name = "Bea"
        #expect(try refused(child) == ["Employee.name": .gone])
    }

    @Test func theAutomaticSaveTellsOfIt() async throws {
        fixture.container.setMergeOptions(.fixture)
        var failures = fixture.container.mainSaveFailures().makeAsyncIterator()
        let ann = try view.existingObject(with: fixture.ann, as: Employee.self)
        try await end(ann, .deletedElsewhere)
        ann.name = "Bea"
        try await fixture.container.save { _ = try $0.insert(Project.self) }
        await fixture.container.mergePendingChanges()
        let failure = await failures.next()
        #expect("\(failure.map { "\($0.error)" } ?? "")".contains("name"))
    }
}
