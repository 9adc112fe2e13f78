import TestSupport
import Testing
import TributaryStore

@testable import Tributary
@testable import TributaryDaemon
@testable import TributarySync

/// Two machines with one log folder: segments of one are imported while a context of the other has unsaved changes.
@MainActor
@Suite(.timeLimit(.minutes(30))) struct ImportBesideContextTests {
    nonisolated private static let model = """
        version: "1"
        entities:
          List:
            relationships:
              items: {to: Item, many: true, ordered: true, inverse: list}
              tags: {to: Tag, many: true, ordered: true, inverse: lists}
              links: {to: Tag, many: true, ordered: true}
          Item: {attributes: {name: String?}, relationships: {list: {to: List?, inverse: items}}}
          Tag: {attributes: {name: String?}, relationships: {lists: {to: List, many: true, inverse: tags}}}
          Folder:
            attributes: {name: String?}
            relationships:
              parent: {to: Folder?, inverse: folders}
              folders: {to: Folder, many: true, inverse: parent, delete: Cascade}
        """

    private struct Machine {
        let test: TestEngine
        let engine: Engine
        let loops: Task<Void, any Error>
        @MainActor var view: ManagedObjectContext { engine.container.viewContext }

        init(logs: String? = nil) async throws {
            test = try TestEngine(logs: logs)
            try test.folder.write(ImportBesideContextTests.model, to: "model.yaml")
            let engine = try await test.open()
            // A merge happens on request, and leaves the unsaved changes to the test.
            var options = MergeOptions()
            options.debounce = .seconds(3_600)
            options.ceiling = .seconds(3_600)
            options.saves = false
            engine.container.setMergeOptions(options)
            self.engine = engine
            loops = Task { try await engine.sync.run() }
            await engine.sync.started()
        }

        func sync() async throws { _ = try await engine.sync.sync() }

        @discardableResult
        func save<T: Sendable>(_ block: @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
            try await engine.container.performBackgroundTask { context in
                let result = try block(context)
                try context.save()
                return result
            }
        }

        func stop() async throws {
            engine.sync.stop()
            try await loops.value
            try await engine.container.close()
        }
    }

    /// Runs a test on two machines, and stops them also when the test fails.
    private func onTwoMachines(_ body: (_ here: Machine, _ there: Machine) async throws -> Void) async throws {
        let here = try await Machine()
        var machines = [here]
        var failure: (any Error)?
        do {
            let there = try await Machine(logs: here.test.logs)
            machines.append(there)
            try await body(here, there)
        } catch {
            failure = error
        }
        for machine in machines {
            do { try await machine.stop() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func digests(_ machines: [Machine]) throws -> Set<String> {
        Set(try machines.map { try $0.engine.container.store.read { try $0.mergeState.digest().digest } })
    }

    // MARK: Orders

    /// A change of a list: `+5` appends, `-4` removes, `4@0` moves to a place.
    private nonisolated static func change(_ list: ManagedObject, _ key: String, _ steps: String) throws {
        for step in steps.split(separator: " ") {
            let name = String(step.drop { "+-".contains($0) }.prefix(1))
            if step.first == "+" {
                let context = try #require(list.managedObjectContext)
                let object = try context.insert(entity: key == "items" ? "Item" : "Tag")
                try object.setValue(.string(name), forKey: "name")
                try list.link(object, forKey: key)
                continue
            }
            let found = try list.objects(forKey: key).first { try $0.value(forKey: "name") == .string(name) }
            let object = try #require(found)
            if step.first == "-" {
                try list.unlink(object, forKey: key)
            } else {
                try list.insert(object, forKey: key, at: try #require(Int(step.dropFirst(2))))
            }
        }
    }

    private nonisolated static func names(_ list: ManagedObject, _ key: String) throws -> String {
        try list.objects(forKey: key).map { object in
            if case .string(let name) = try object.value(forKey: "name") { name } else { "-" }
        }.joined()
    }

    @Test(
        arguments: ["items", "tags", "links"],
        [
            ("4@0", "+5", "41235"), ("4@0", "+5 2@4", "41352"), ("+6", "+5", "123456"), ("4@0", "-4", "123"),
            ("1@3", "1@1", "2341"), ("2@0 +6", "3@0 +5 -1", "23456"),
        ]
    )
    func `unsaved moves are applied to the list that was imported`(
        _ key: String,
        _ changes: (here: String, there: String, result: String)
    ) async throws {
        try await onTwoMachines { here, there in
            let id = try await here.save { context in
                let list = try context.insert(entity: "List")
                try Self.change(list, key, "+1 +2 +3 +4")
                return list.objectID
            }
            try await here.sync()
            try await there.sync()
            let list = try here.view.existingObject(with: id)
            try Self.change(list, key, changes.here)
            let change = changes.there
            try await there.save { context in
                let found = try context.fetch(FetchRequest("List"))
                try Self.change(try #require(found.first), key, change)
            }
            try await there.sync()
            try await here.sync()
            #expect(try Self.names(list, key) == changes.result, "after the merge")
            try here.view.save()
            #expect(try Self.names(list, key) == changes.result, "after the save")
            try await here.sync()
            try await there.sync()
            for machine in [here, there] {
                let stored = try await machine.engine.container.performBackgroundTask { context in
                    try Self.names(try #require(try context.fetch(FetchRequest("List")).first), key)
                }
                #expect(stored == changes.result)
            }
            #expect(try digests([here, there]).count == 1)
        }
    }

    // MARK: Circles

    /// Two folders, each with one below it, which two machines have moved into each other; with the view context's own
    /// change of one.
    @Test func `folders in each other are shown, changed and deleted like others`() async throws {
        try await onTwoMachines { here, there in
            try await makeCircle(here, there)
            let view = here.view
            let roots = try FetchRequest<ManagedObject>("Folder", where: "parent == nil", sortKeys: [SortKey("name")])
            let controller = try FetchedResultsController<ManagedObject>(roots, context: view)
            var all = try view.fetch(FetchRequest("Folder", sortKeys: [SortKey("name")]))
            func names(_ objects: some Sequence<ManagedObject>) throws -> [PropertyValue] {
                try objects.map { try $0.value(forKey: "name") }
            }
            #expect(try names(controller.fetchedObjects) == [])
            #expect(try names(all) == [.string("X"), .string("Y"), .string("below X"), .string("below Y")])
            #expect(try all[0].objects(forKey: "parent") == [all[1]])
            #expect(try all[1].objects(forKey: "parent") == [all[0]])
            #expect(try Set(all[0].objects(forKey: "folders")) == [all[1], all[2]])
            // Unsaved changes are compared in memory, the others in SQL.
            for isUnsaved in [false, true] {
                if isUnsaved { for name in ["Z", "X"] { try all[0].setValue(.string(name), forKey: "name") } }
                for (predicate, count) in [
                    ("parent.parent.parent.name == 'Y'", 2), ("parent.parent.name == 'X'", 2),
                    ("ANY folders.folders.name == 'below X'", 1),
                    ("SUBQUERY(folders, $f, $f.parent == SELF).@count == 2", 2),
                ] {
                    let found = try view.count(for: FetchRequest("Folder", where: predicate))
                    #expect(found == count, "\(predicate), \(isUnsaved)")
                }
            }
            view.rollback()

            // A root, and back by undo.
            try all[0].setValue(.null, forKey: "parent")
            view.processPendingChanges()
            #expect(controller.fetchedObjects == [all[0]])
            view.undo()
            view.processPendingChanges()
            #expect(controller.fetchedObjects.isEmpty)

            // Cascade goes around, in a child and in a save.
            let child = view.newChild()
            child.delete(try child.existingObject(with: all[0].objectID))
            #expect(try child.count(for: FetchRequest("Folder")) == 0)
            child.rollback()
            view.delete(all[1])
            view.processPendingChanges()
            #expect(all.filter { !$0.isDeleted } == [])
            try view.save()
            try await here.sync()
            try await there.sync()
            all = try there.view.fetch(FetchRequest("Folder"))
            #expect(all.isEmpty)
            #expect(try digests([here, there]).count == 1)
        }
    }

    /// The rule that the article about conflicts proposes ends a circle, also when both machines follow it at once.
    @Test func `both machines break a circle at the same place`() async throws {
        try await onTwoMachines { here, there in
            try await makeCircle(here, there)
            for machine in [here, there] { try await machine.engine.sync.pause() }
            for machine in [here, there] {
                try await machine.save { context in
                    let folders = try context.fetch(FetchRequest("Folder", where: "parent.parent == SELF"))
                    #expect(folders.count == 2)
                    try folders.min { $0.uniqueID < $1.uniqueID }?.setValue(.null, forKey: "parent")
                }
            }
            for machine in [here, there] { try await machine.engine.sync.resume() }
            for machine in [here, there, here] { try await machine.sync() }
            for machine in [here, there] {
                let roots = try machine.view.fetch(FetchRequest("Folder", where: "parent == nil"))
                #expect(roots.count == 1)
                #expect(try roots.first?.objects(forKey: "folders").count == 2)
            }
            #expect(try digests([here, there]).count == 1)
        }
    }

    /// The machines move X below Y and Y below X, and know of both moves.
    private func makeCircle(_ here: Machine, _ there: Machine) async throws {
        try await here.save { context in
            for name in ["X", "Y"] {
                let folder = try context.insert(entity: "Folder")
                try folder.setValue(.string(name), forKey: "name")
                let below = try context.insert(entity: "Folder")
                try below.setValue(.string("below \(name)"), forKey: "name")
                try folder.link(below, forKey: "folders")
            }
        }
        try await here.sync()
        try await there.sync()
        // The view context has the objects, and a change of its own.
        let objects = try here.view.fetch(FetchRequest("Folder", sortKeys: [SortKey("name")]))
        try objects[0].setValue(.string("X and more"), forKey: "name")
        for machine in [here, there] { try await machine.engine.sync.pause() }
        for (machine, moved, target) in [(here, "X", "Y"), (there, "Y", "X")] {
            try await machine.save { context in
                func folder(_ name: String) throws -> ManagedObject {
                    try #require(try context.fetch(FetchRequest("Folder", where: "name == '\(name)'")).first)
                }
                try folder(moved).setValue(.reference(try folder(target).uniqueID), forKey: "parent")
            }
        }
        for machine in [here, there] { try await machine.engine.sync.resume() }
        for machine in [here, there, here, there] { try await machine.sync() }
        #expect(try digests([here, there]).count == 1)
        #expect(try objects[0].objects(forKey: "parent") == [objects[1]])
        #expect(try objects[1].objects(forKey: "parent") == [objects[0]])
        here.view.rollback()
    }
}
