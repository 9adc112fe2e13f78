import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Undo changes what a context has changed since its last save, on top of the newest state that it has merged.
@MainActor
struct UndoAcrossMergeTests {
    enum Way: String, CaseIterable, Sendable {
        case pending, byIDs, refresh, refreshAll
    }

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("undo-merge") }

    private func open(_ rule: DeleteRule = .nullify, isOrdered: Bool = false) async throws -> (
        PersistentContainer, ManagedObjectContext
    ) {
        let model = try Library.model(delete: rule, isOrdered: isOrdered)
        let container = try await PersistentContainer.open(folder, model: model)
        container.setMergeOptions(.unsaved)
        try await change(
            container,
            .insert("S1"),
            .insert("S2"),
            .insert("B1"),
            .insert("B2"),
            .insert("T1"),
            .insert("M1"),
            .title("B1", "old"),
            .shelf("B1", "S1"),
            .marker("B1", "M1")
        )
        await container.mergePendingChanges()
        return (container, container.viewContext)
    }

    /// Others save these changes; the view context does not merge them.
    private func change(_ container: PersistentContainer, _ edits: LibraryEdit...) async throws {
        try await container.save { context in for edit in edits { try edit.apply(context) } }
    }

    private func edit(_ view: ManagedObjectContext, _ edits: LibraryEdit...) throws {
        for edit in edits { try edit.apply(view) }
        view.processPendingChanges()
    }

    private func object(_ name: String, _ view: ManagedObjectContext) throws -> ManagedObject {
        try view.existingObject(with: Library.id(name))
    }

    private func shown(_ view: ManagedObjectContext) throws -> [String: String] {
        let (shown, contradiction) = try Library.picture(view)
        #expect(contradiction == nil)
        return shown
    }

    private func stored(_ container: PersistentContainer) async throws -> [String: String] {
        try await container.performBackgroundTask { try Library.picture($0).shown }
    }

    private func merge(_ container: PersistentContainer, _ way: Way, _ object: ManagedObject) async throws {
        let view = container.viewContext
        switch way {
        case .pending: await container.mergePendingChanges()
        case .byIDs:
            var changes = ObjectChanges()
            changes.update(object.objectID)
            view.mergeChanges(changes)
        case .refresh:
            await container.mergePendingChanges()
            view.refresh(object, mergeChanges: true)
        case .refreshAll:
            await container.mergePendingChanges()
            view.refreshAllObjects()
        }
    }

    // MARK: Deletions that were not saved

    @Test(arguments: Way.allCases)
    func anUndoneDeletionShowsTheNewestValues(_ way: Way) async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .delete("B1"))
        try await change(container, .title("B1", "new"), .shelf("B1", "S2"), .marker("B1", nil), .tag("B1", "T1", true))
        try await merge(container, way, book)
        view.undo()
        #expect(try book.text("title") == "new" && !view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
        try book.setValue(.string("old"), forKey: "title")
        #expect(view.hasChanges, "the former value is another one by now")
        try view.save()
        #expect(try await stored(container)["B1"]?.hasPrefix("old") == true)
    }

    @Test func anUndoneDeletionKeepsWhatTheContextHadChanged() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .shelf("B1", "S2"))
        try edit(view, .delete("B1"))
        try await change(container, .title("B1", "new"), .shelf("B1", nil))
        await container.mergePendingChanges()
        view.undo()
        #expect(try book.text("title") == "new")
        #expect(book.changedValues() == ["shelf": .reference(Library.id("S2").uniqueID)])
        #expect(try shown(view)["S2"] == "- books=B1")
        view.undo()
        #expect(!view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
    }

    @Test func anUndoneDeletionRefersToNothingThatOthersHaveDeleted() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .delete("B1"))
        try await change(container, .delete("S1"), .delete("M1"))
        await container.mergePendingChanges()
        view.undo()
        #expect(try book.objects(forKey: "shelf").isEmpty && book.objects(forKey: "marker").isEmpty)
        #expect(!view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
    }

    @Test(arguments: [DeleteRule.nullify, .cascade])
    func theUndoneDeletionOfANewOwnerGivesItsListBack(_ rule: DeleteRule) async throws {
        let (_, view) = try await open(rule)
        let shelf = try view.insert(entity: "Shelf")
        let new = try view.insert(entity: "Book")
        for book in [try object("B1", view), new] { try shelf.link(book, forKey: "books") }
        view.processPendingChanges()
        for _ in 0..<2 {
            view.delete(shelf)
            view.processPendingChanges()
            view.undo()
            #expect(Set(try shelf.objects(forKey: "books")) == [try object("B1", view), new])
            #expect(try object("B1", view).objects(forKey: "shelf") == [shelf])
        }
        view.redo()
        #expect(shelf.isDeleted)
        view.undo()
        try view.save()
        #expect(try shelf.objects(forKey: "books").count == 2)
    }

    // MARK: Values

    @Test func anUndoneAssignmentShowsTheNewestValueOfOthers() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .title("B1", "mine"), .shelf("B1", "S2"))
        try await change(container, .title("B1", "theirs"), .shelf("B1", nil))
        await container.mergePendingChanges()
        #expect(try book.text("title") == "mine")
        view.undo()
        #expect(try book.text("title") == "theirs" && !view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
        view.redo()
        #expect(try book.text("title") == "mine" && shown(view)["S2"] == "- books=B1")
        try view.save()
        #expect(try shown(view) == (try await stored(container)))
    }

    @Test func anAssignmentThatWasSavedIsUndoneByAnother() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .title("B1", "mine"))
        try view.save()
        try await change(container, .title("B1", "theirs"))
        await container.mergePendingChanges()
        view.undo()
        #expect(try book.text("title") == "old" && book.changedValues() == ["title": .string("old")])
        try view.save()
        #expect(try await stored(container)["B1"]?.hasPrefix("old") == true)
        view.redo()
        #expect(try book.text("title") == "theirs" && view.hasChanges, "a redo takes the undo back")
    }

    @Test func anUndoneLinkThatOthersHaveMadeTooStays() async throws {
        let (container, view) = try await open()
        try edit(view, .tag("B1", "T1", true))
        try await change(container, .tag("B1", "T1", true))
        await container.mergePendingChanges()
        view.undo()
        #expect(!view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
        #expect(try shown(view)["T1"] == "- books=B1")
        try edit(view, .tag("B1", "T1", false))
        try await change(container, .tag("B1", "T1", false))
        await container.mergePendingChanges()
        view.undo()
        #expect(!view.hasChanges)
        #expect(try shown(view)["T1"] == "- books=")
    }

    @Test func anUndoneUnlinkGivesTheContextsOwnLinkBack() async throws {
        let (container, view) = try await open()
        try edit(view, .tag("B1", "T1", true))
        try await change(container, .tag("B1", "T1", true))
        await container.mergePendingChanges()
        try edit(view, .delete("T1"))
        view.undo()
        view.undo()
        #expect(!view.hasChanges, "the pair that others have linked is not unlinked")
        #expect(try shown(view)["T1"] == "- books=B1")
        #expect(try shown(view) == (try await stored(container)))
    }

    @Test func anUndoneMoveShowsTheOrderOfOthers() async throws {
        let (container, view) = try await open(isOrdered: true)
        try await change(container, .shelf("B2", "S1"))
        await container.mergePendingChanges()
        let shelf = try object("S1", view)
        func order() throws -> [String] { try shelf.objectIDs(forKey: "books").map(Library.name) }
        #expect(try order() == ["B1", "B2"])
        try shelf.insert(try object("B2", view), forKey: "books", at: 0)
        view.processPendingChanges()
        try await container.save { context in
            let shelf = try context.existingObject(with: Library.id("S1"))
            try shelf.insert(try context.existingObject(with: Library.id("B2")), forKey: "books", at: 0)
            try shelf.insert(try context.insert(entity: "Book", id: Library.id("B3").uniqueID), forKey: "books", at: 1)
        }
        await container.mergePendingChanges()
        view.undo()
        #expect(try order() == ["B2", "B3", "B1"] && !view.hasChanges)
    }

    // MARK: One ID, one object

    @Test func anObjectThatOthersInsertAgainIsTheOneThatTheContextHad() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try await change(container, .delete("B1"))
        await container.mergePendingChanges()
        #expect(book.state == .gone && view.object(with: book.objectID) === book)
        try await change(container, .insert("B1"), .title("B1", "again"), .shelf("B1", "S2"))
        await container.mergePendingChanges()
        #expect(try object("B1", view) === book && book.state == .clean && book.text("title") == "again")
        #expect(try object("S2", view).objects(forKey: "books") == [book])
    }

    @Test(arguments: [false, true])
    func anUndoneDeletionOfWhatOthersHaveInsertedAgainShowsTheirs(isMergedFirst: Bool) async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        try edit(view, .delete("B1"))
        try view.save()
        try await change(container, .insert("B1"), .title("B1", "again"))
        if isMergedFirst { await container.mergePendingChanges() }
        view.undo()
        await container.mergePendingChanges()
        #expect(try object("B1", view) === book && book.state != .inserted)
        #expect(try shown(view)["B1"] != nil)
        try view.save()
        #expect(try shown(view) == (try await stored(container)))
    }

    /// Both objects that the context has inserted and deleted were never saved; the undo of neither may delete what others have
    /// saved under the ID.
    @Test func anObjectThatOthersHaveInsertedStaysWhenItsOwnInsertionsAreUndone() async throws {
        let (container, view) = try await open()
        try edit(view, .insert("M2"))
        let first = try object("M2", view)
        try edit(view, .delete("M2"))
        try edit(view, .insert("M2"))
        let second = try object("M2", view)
        try edit(view, .delete("M2"))
        try await change(container, .insert("M2"), .title("M2", "theirs"))
        await container.mergePendingChanges()
        while view.undoStack?.canUndo == true { view.undo() }
        #expect(!view.hasChanges)
        #expect(try shown(view) == (try await stored(container)))
        withExtendedLifetime((first, second)) {}
        try await container.close()
    }

    /// The store has an object that refers to a deleted one, which the undo inserts again: both ends show the reference.
    @Test func aReferenceComesBackWithItsTarget() async throws {
        let (container, view) = try await open()
        let background = container.newBackgroundContext(mergePolicy: .objectTrump)
        try await background.perform { try LibraryEdit.shelf("B2", "S2").apply($0) }
        try edit(view, .delete("S2"))
        try view.save()
        view.undo()
        try await background.perform { try $0.save() }
        try edit(view, .title("B2", "x"))
        await container.mergePendingChanges()
        try view.save()
        #expect(try shown(view) == (try await stored(container)))
        try await container.close()
    }

    /// An object that the context has taken out of a list stays out when others insert the owner that the context has new.
    @Test func theListOfAnOwnerThatOthersInsertTooShowsWhatTheContextHas() async throws {
        let (container, view) = try await open(.deny)
        let background = container.newBackgroundContext(mergePolicy: .objectTrump)
        await background.perform { $0.undoStack = UndoStack() }
        try await background.save { context in
            try LibraryEdit.delete("S2").apply(context)
        }
        await container.mergePendingChanges()
        try edit(view, .insert("S2"))
        try await background.save { context in
            context.undo()
        }
        try await change(container, .shelf("B1", "S2"))
        try edit(view, .shelf("B1", nil))
        await container.mergePendingChanges()
        #expect(try shown(view)["S2"] == "- books=")
        try await container.close()
    }

    /// What refers to the object that the context has inserted referred to its ID before.
    @Test(arguments: [DeleteRule.nullify, .cascade, .deny])
    func anUndoneInsertionDeletesNothing(_ rule: DeleteRule) async throws {
        let (container, view) = try await open(rule)
        try edit(view, .shelf("B2", "S2"))
        try await change(container, .delete("S2"))
        await container.mergePendingChanges()
        try edit(view, .insert("S2"))
        view.undo()
        #expect(try shown(view)["B2"] == "- shelf= tags= marker=")
        view.undo()
        #expect(!view.hasChanges)
        try await container.close()
    }

    @Test func aReferenceToADeletedObjectDoesNotComeBack() async throws {
        let (container, view) = try await open()
        let book = try object("B1", view)
        let shelf = try object("S1", view)
        try edit(view, .shelf("B1", "S2"))
        try view.save()
        try await change(container, .delete("S1"))
        await container.mergePendingChanges()
        view.undo()
        #expect(try book.objects(forKey: "shelf").map(\.objectID) == [Library.id("S2")], "the step was about S1")
        #expect(!view.hasChanges && shelf.state == .gone)
    }

    @Test func anObjectThatCannotBeReadIsInNoList() async throws {
        let (container, _) = try await open()
        let background = container.newBackgroundContext()
        try await background.perform { context in
            context.undoStack = UndoStack()
            let shelf = try context.existingObject(with: Library.id("S1"))
            let fault = try #require(try shelf.objects(forKey: "books").first)
            context.refresh(fault, mergeChanges: false)
            try container.newBackgroundContext().performAndWait { other in
                other.delete(try other.existingObject(with: Library.id("B1")))
                try other.save()
            }
            #expect(throws: ContextError.notFound(Library.id("B1"))) { try fault.load() }
            #expect(try shelf.objects(forKey: "books").isEmpty, "it is known to be gone")
            #expect(context.object(with: Library.id("B1")) === fault)
        }
    }

    @Test func anObjectUnderAFormerIDHasTheLinksThatTheStoreKeeps() async throws {
        let (container, view) = try await open()
        try await change(container, .tag("B1", "T1", true))
        try await change(container, .delete("T1"))
        await container.mergePendingChanges()
        let book = try object("B1", view)
        #expect(try book.objects(forKey: "tags").isEmpty)
        try edit(view, .insert("T1"))
        try view.save()
        #expect(try book.objects(forKey: "tags") == [try object("T1", view)])
        #expect(try shown(view) == (try await stored(container)))
    }

    @Test func aLinkToWhatOthersHaveDeletedIsNoChange() async throws {
        let (container, view) = try await open()
        try edit(view, .tag("B1", "T1", true))
        try await change(container, .delete("T1"))
        await container.mergePendingChanges()
        #expect(!view.hasChanges && view.undoStack?.canUndo == false)
    }

    @Test func aResultsControllerShowsWhatComesBack() async throws {
        let (container, view) = try await open()
        let controller: FetchedResultsController<ManagedObject> = try FetchedResultsController(
            FetchRequest("Book", sortKeys: [SortKey("title")]),
            context: view
        )
        let (first, second) = (try object("B1", view), try object("B2", view))
        func listed() -> [ManagedObject] { controller.fetchedObjects }
        #expect(listed() == [second, first])
        try edit(view, .delete("B1"), .title("B2", "m"))
        #expect(listed() == [second])
        try await change(container, .title("B1", "a"))
        await container.mergePendingChanges()
        view.undo()
        view.processPendingChanges()
        #expect(listed() == [second, first] && second.isFault == false)
        try edit(view, .title("B2", "m"))
        #expect(listed() == [first, second])
        try await change(container, .delete("B1"))
        await container.mergePendingChanges()
        #expect(listed() == [second])
        try await change(container, .insert("B1"), .title("B1", "z"))
        await container.mergePendingChanges()
        #expect(listed() == [second, first])
    }

    // MARK: Other contexts

    @Test func aChildUndoesOnTopOfItsParent() async throws {
        let (_, view) = try await open()
        let child = view.newChild()
        child.undoStack = UndoStack()
        let book = try object("B1", child)
        try edit(child, .delete("B1"))
        try edit(view, .title("B1", "parent's"), .shelf("B1", "S2"))
        child.undo()
        #expect(try book.text("title") == "parent's" && !child.hasChanges)
        #expect(try shown(child) == (try shown(view)))
        try edit(child, .title("B1", "child's"))
        try edit(view, .title("B1", "parent's again"))
        #expect(try book.text("title") == "child's")
        child.undo()
        #expect(try book.text("title") == "parent's again" && !child.hasChanges)
        try edit(child, .marker("B2", "M1"))
        try edit(view, .marker("B1", nil))
        #expect(try shown(child)["M1"] == "- book=B2")
        try child.save()
        #expect(try shown(child) == (try shown(view)))
        view.undo()
        #expect(try shown(view)["M1"] == "- book=")
    }

    @Test func aBackgroundContextUndoesOnTopOfWhatItMerges() async throws {
        let (container, _) = try await open()
        let background = container.newBackgroundContext()
        await background.perform { context in
            context.undoStack = UndoStack()
            context.automaticallyMergesChangesFromParent = true
        }
        try await background.perform { try LibraryEdit.title("B1", "mine").apply($0) }
        try await background.perform { try LibraryEdit.delete("B1").apply($0) }
        try await change(container, .title("B1", "theirs"), .shelf("B1", "S2"))
        let stored = try await stored(container)
        try await background.perform { context in
            context.undo()
            let shown = try Library.picture(context).shown
            #expect(shown["B1"]?.hasPrefix("mine") == true && shown["S2"] == "- books=B1")
            context.undo()
            let rest = try Library.picture(context).shown
            #expect(!context.hasChanges && rest == stored)
        }
    }

    // MARK: One-to-one relationships

    @Test func anObjectThatTheSaveChangesShowsThatItLosesItsTarget() async throws {
        let (container, view) = try await open()
        try await change(container, .marker("B1", nil))
        await container.mergePendingChanges()
        try edit(view, .marker("B2", "M1"), .shelf("B1", "S2"))
        try await change(container, .marker("B1", "M1"))
        await container.mergePendingChanges()
        let before = try shown(view)
        try view.save()
        #expect(try shown(view) == before)
        #expect(try await stored(container) == before)
    }

    @Test func aOneToOneTargetHasOneOwnerAfterAMerge() async throws {
        let (container, view) = try await open()
        for (mine, theirs) in [("B1", "B2"), ("B2", "B1")] {
            // The store shows the target's other owner again when one of them lets it go.
            for book in ["B1", "B2", "B1"] { try await change(container, .marker(book, nil)) }
            await container.mergePendingChanges()
            try edit(view, .marker(mine, "M1"))
            try await change(container, .marker(theirs, "M1"))
            await container.mergePendingChanges()
            #expect(try object("M1", view).objects(forKey: "book") == [try object(mine, view)])
            let before = try shown(view)
            #expect(before[theirs]?.hasSuffix("marker=") == true)
            let found = try view.fetch(FetchRequest("Book", where: "marker != NULL"))
            #expect(found.map(\.objectID) == [Library.id(mine)])
            view.undo()
            #expect(try object("M1", view).objects(forKey: "book") == [try object(theirs, view)])
            #expect(!view.hasChanges)
            view.redo()
            #expect(try shown(view) == before)
            try view.save()
            #expect(try shown(view) == before)
            #expect(try await stored(container) == before)
        }
    }

    @Test func `a save whose transaction failed counts as none`() async throws {
        struct Refusal: Error {}
        let (container, view) = try await open()
        let undo = UndoStack()
        view.undoStack = undo
        try edit(view, .title("B1", "before"), .shelf("B1", "S2"), .insert("B3"))
        #expect(throws: Refusal.self) {
            try view.performInOneTransaction {
                try view.save()
                try edit(view, .title("B2", "within"))
                try view.save()
                throw Refusal()
            }
        }
        #expect(try shown(view)["B1"]?.hasPrefix("before") == true && view.hasChanges)
        try await change(container, .title("B1", "new"), .shelf("B1", nil), .title("B2", "other"))
        await container.mergePendingChanges()
        while undo.canUndo { view.undo() }
        view.processPendingChanges()
        #expect(!view.hasChanges, "\(view.updatedObjects) \(view.insertedObjects) \(view.deletedObjects)")
        #expect(try shown(view) == (try await stored(container)))
    }
}
