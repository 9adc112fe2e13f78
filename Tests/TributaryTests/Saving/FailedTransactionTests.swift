import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A context after a transaction of several saves has failed: as if the saves had never been tried.
struct FailedTransactionTests {
    private struct Failure: Error {}

    private static func fail(_ context: ManagedObjectContext, _ block: () throws -> Void) {
        #expect(throws: Failure.self) {
            try context.performInOneTransaction {
                try block()
                throw Failure()
            }
        }
    }

    /// The guest of a firm that the first save deletes; the save clears the reference, and the guest is not in use.
    @Test(arguments: [false, true])
    func `an object that was changed after a save with an effect on it has its stored row`(
        isReplaced: Bool
    ) async throws {
        let race = try await LateSave()
        let (firm, guest) = (try await race.firm(), try await race.insert("Guest", [:]))
        let background = race.container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { context in
            context.delete(try context.existingObject(with: firm))
            context.processPendingChanges()
        }
        try await race.container.save {
            try $0.existingObject(with: guest).setValue(.reference(firm.uniqueID), forKey: "host")
        }
        try await background.save { context in
            Self.fail(context) {
                try context.save()
                var object = try context.existingObject(with: guest)
                #expect(try object.value(forKey: "host") == .null)
                if isReplaced {
                    context.delete(object)
                    try context.save()
                    object = try context.insert(entity: "Guest", id: guest.uniqueID)
                }
                try object.setValue(.string("Ann"), forKey: "name")
            }
            let object = try context.existingObject(with: guest)
            let former = object.extras?.former ?? object
            #expect(object.isInserted == isReplaced && (former !== object) == isReplaced)
            #expect(try object.value(forKey: "name") == .string("Ann"))
            #expect(try former.committedValues(forKeys: ["host"]) == ["host": .reference(firm.uniqueID)])
            context.refresh(context.object(with: firm), mergeChanges: false)
            context.mergePolicy = .error
        }
        let host = isReplaced ? "host == NULL" : "host != NULL"
        #expect(try await race.count("Guest", where: "name == 'Ann' AND \(host)") == 1)
    }

    @Test func `it hides no conflict with what others have changed before`() async throws {
        let (folder, container) = try await Company.open()
        let id = try await container.save { try $0.hire("Ann").objectID }
        let background = container.newBackgroundContext()
        try await background.perform { context in
            try context.pin()
            (try context.existingObject(with: id) as? Employee)?.salary = 1
        }
        try await container.save { (try $0.existingObject(with: id) as? Employee)?.salary = 2 }
        await background.perform { context in
            Self.fail(context) {}
            #expect(throws: ConflictError.self) { try context.save() }
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `what it has read ahead is forgotten`() async throws {
        let (folder, container) = try await Company.open()
        let id = try await container.save { context in
            try context.hire("Ann").department = try context.insert(Department.self)
            return try #require(context.fetch(Department.self).first).objectID
        }
        let background = container.newBackgroundContext()
        try await background.perform { try $0.pin() }
        try await container.save { context in
            try context.hire("Bob").department = context.existingObject(with: id) as? Department
        }
        try await background.perform { context in
            func names() throws -> [String] {
                try #require(context.existingObject(with: id) as? Department).employees.map(\.name).sorted()
            }
            Self.fail(context) {
                var request = FetchRequest("Department")
                request.prefetchedKeyPaths = ["employees"]
                _ = try context.fetch(request)
                #expect(try names() == ["Ann", "Bob"], "the transaction shows the newest state")
            }
            let shown = try names()
            #expect(shown == ["Ann"])
        }
        withExtendedLifetime(folder) {}
    }

    // MARK: Undo

    @Test func `the undo of a step between two of its saves restores what the first one had`() async throws {
        let (folder, container) = try await Company.open()
        try await container.newBackgroundContext().perform { context in
            let ann = try context.hire("Ann")
            let projects = try (0..<2).map { _ in try context.insert(Project.self) }
            ann.projects = [projects[0]]
            try context.save()
            let stack = UndoStack()
            context.undoStack = stack
            func step(_ name: String, _ members: [Project]) {
                stack.beginUndoGrouping()
                (ann.name, ann.projects) = (name, members)
                stack.endUndoGrouping()
            }
            step("first", [projects[1]])
            Self.fail(context) {
                try context.save()
                step("second", [])
                try context.save()
                step("third", projects)
            }
            #expect(ann.name == "third" && Set(ann.projects) == Set(projects))
            context.undo()
            #expect(ann.name == "second" && ann.projects.isEmpty)
            context.undo()
            #expect(ann.name == "first" && ann.projects == [projects[1]])
            context.undo()
            #expect(ann.name == "Ann" && ann.projects == [projects[0]] && !context.hasChanges)
            for _ in 0..<3 { context.redo() }
            #expect(ann.name == "third" && Set(ann.projects) == Set(projects))
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `the undo of a move between two of its saves restores the order that the first one had`() async throws {
        let (folder, container) = try await OrderedModel.open()
        try await container.newBackgroundContext().perform { context in
            let items = ToMany<ManagedObject>("items")
            let list = try context.insert(entity: "List")
            list[items] = try "abc".map { try OrderedModel.named("\($0)", "Item", in: context) }
            try context.save()
            let stack = UndoStack()
            context.undoStack = stack
            func moveLast() {
                stack.beginUndoGrouping()
                list.move(list[items][2], in: items, to: 0)
                stack.endUndoGrouping()
            }
            moveLast()
            Self.fail(context) {
                try context.save()
                moveLast()
                try context.save()
            }
            #expect(try OrderedModel.names(list, "items") == "bca")
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "cab")
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "abc" && !context.hasChanges)
        }
        withExtendedLifetime(folder) {}
    }
}
