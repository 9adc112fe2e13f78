import TestSupport
import Testing

@testable import Tributary

/// A merge changes an object by its state here and the change elsewhere; each test is one cell of the table.
///
/// Each cell is tried twice: with ``ManagedObjectContext/mergeChanges(_:)`` on a background context, and through the
/// pending notifications into the view context.
struct MergeTableTests {
    enum Here: CaseIterable, Sendable { case clean, dirty, inserted, deleted }
    enum There: CaseIterable, Sendable { case update, delete, everything }

    @Test(arguments: Here.allCases, There.allCases)
    func aChangeElsewhereMeetsAnObject(_ here: Here, _ there: There) async throws {
        try await direct(here, there)
        try await throughPendingNotifications(here, there)
    }

    // MARK: The two ways

    private func direct(_ here: Here, _ there: There) async throws {
        let folder = try TemporaryFolder("table")
        let container = try await Company.open(folder)
        let id = try await container.hire("Ann")
        var changes = ObjectChanges()
        switch there {
        case .update: changes.update(id)
        case .delete: changes.delete(id)
        case .everything: changes.collapseEverything()
        }
        let announced = changes
        let other = container.newBackgroundContext()
        try await container.newBackgroundContext().perform { context in
            let employee = try Self.prepare(here, id, context)
            // The other context has a queue of its own, so waiting for it here is safe.
            other.performAndWait { Self.change(id, there, $0) }
            context.mergeChanges(announced)
            try Self.check(employee, here, there)
        }
    }

    @MainActor
    private func throughPendingNotifications(_ here: Here, _ there: There) async throws {
        let folder = try TemporaryFolder("table")
        let container = try await Company.open(folder, merging: .unsaved)
        let id = try await container.hire("Ann")
        await container.mergePendingChanges()
        let view = container.viewContext
        var notices: [ObjectsDidChange] = []
        let employee = try Self.prepare(here, id, view)
        view.processPendingChanges()
        view.observeChanges { notices.append($0) }
        await container.newBackgroundContext().perform { Self.change(id, there, $0) }
        if there == .everything {
            var everything = ObjectChanges()
            everything.collapseEverything()
            container.pipeline.pendingNotifications.post(everything)
        }
        await container.mergePendingChanges()
        #expect(notices.contains(where: \.isEverything) || there != .everything)
        #expect(notices.contains { $0.discarded.map(\.id) == [id] } == (here == .dirty && there == .delete))
        #expect(notices.contains { $0.deleted.contains(id) } == (here != .inserted && there == .delete))
        try Self.check(employee, here, there)
        try await container.close()
    }

    // MARK: Steps

    private static func prepare(
        _ here: Here,
        _ id: ManagedObjectID,
        _ context: ManagedObjectContext
    ) throws -> Employee {
        if here == .inserted { return try context.hire("New") }
        let employee = try context.existingObject(with: id, as: Employee.self)
        if here == .dirty { employee.salary = 1 }
        if here == .deleted { context.delete(employee) }
        return employee
    }

    private static func change(_ id: ManagedObjectID, _ there: There, _ context: ManagedObjectContext) {
        guard let object = context.object(with: id) as? Employee else { return }
        if there == .delete { context.delete(object) } else { object.name = "Bob" }
        try? context.save()
    }

    private static func check(_ employee: Employee, _ here: Here, _ there: There) throws {
        let context = try #require(employee.managedObjectContext)
        switch (here, there) {
        case (.inserted, _): #expect(employee.isInserted && employee.name == "New" && context.hasChanges)
        case (_, .delete):
            #expect(employee.state == .gone && employee.name == "Ann" && !context.hasChanges)
            #expect(context.registeredObject(for: employee.objectID) == nil)
        case (.clean, _): #expect(employee.state == .clean && employee.name == "Bob" && !context.hasChanges)
        case (.dirty, _):
            #expect(employee.isUpdated && employee.name == "Bob" && employee.salary == 1)
            #expect(employee.changedValues() == ["salary": .double(1)])
            #expect(try employee.committedValues(forKeys: ["name"]) == ["name": .string("Bob")])
        case (.deleted, _): #expect(employee.isDeleted && context.deletedObjects == [employee])
        }
        // Merged changes do not conflict.
        guard !(here == .dirty && there == .delete) else { return }
        context.mergePolicy = .error
        try context.save()
        #expect(!context.hasChanges)
    }
}
