import TestSupport
import TributaryStore

@testable import Tributary

/// A model with each kind of relationship, few objects with fixed IDs, and what a context shows of them as text.
enum Library {
    /// The names of all objects: the first letter is that of the entity.
    static let names = ["S1", "S2", "B1", "B2", "B3", "T1", "T2", "M1", "M2"]
    private static let entities = ["S": "Shelf", "B": "Book", "T": "Tag", "M": "Marker"]

    static func model(delete rule: DeleteRule = .nullify, isOrdered: Bool = false) throws -> Model {
        try Model(
            entities: """
                Shelf:
                  attributes: {title: String?}
                  relationships:
                    books: {to: Book, many: true, ordered: \(isOrdered), inverse: shelf, delete: \(rule.rawValue)}
                Book:
                  attributes: {title: String?}
                  relationships:
                    shelf: {to: Shelf?, inverse: books}
                    tags: {to: Tag, many: true, inverse: books}
                    marker: {to: Marker?, inverse: book}
                Tag: {attributes: {title: String?}, relationships: {books: {to: Book, many: true, inverse: tags}}}
                Marker: {attributes: {title: String?}, relationships: {book: {to: Book?, inverse: marker}}}
                """
        )
    }

    static func id(_ name: String) -> ManagedObjectID {
        let number = UInt64(name.dropFirst()) ?? 0
        return ManagedObjectID(entity(name), UniqueID(high: 0x0190_F1A2_0000_7000, low: 0x8000_0000_0000_0000 | number))
    }

    static func entity(_ name: String) -> String { entities[String(name.prefix(1))] ?? "" }

    static func name(_ id: ManagedObjectID) -> String { "\(id.entity.prefix(1))\(id.uniqueID.low & 0xFF)" }

    /// What the context shows, by name; and the first contradiction in it.
    ///
    /// Each object at the other end of a relationship is one that a fetch returns, refers back, and is one object for
    /// each ID.
    static func picture(_ context: ManagedObjectContext) throws -> (shown: [String: String], contradiction: String?) {
        var objects: [ManagedObject] = []
        for entity in ["Book", "Marker", "Shelf", "Tag"] { objects += try context.fetch(FetchRequest(entity)) }
        let found = Set(objects)
        var shown: [String: String] = [:]
        var contradiction: String?
        var ends: Set<String> = []
        for object in objects {
            let name = name(object.objectID)
            if shown[name] != nil { contradiction = "two objects are \(name)" }
            var words = [try object.text("title")]
            for (key, back) in inverses[object.objectID.entity] ?? [] {
                let others = try object.objects(forKey: key).filter { $0.state != .deleted }
                for other in others where !found.contains(other) {
                    contradiction = "\(name).\(key) has \(Library.name(other.objectID)), which is \(other.state)"
                }
                let ids = try object.objectIDs(forKey: key).filter {
                    context.registeredObject(for: $0)?.state != .deleted
                }
                if ids != others.map(\.objectID) { contradiction = "\(name).\(key) has other IDs than objects" }
                let texts = others.map { Library.name($0.objectID) }
                if Set(texts).count < texts.count { contradiction = "\(name).\(key) has one object twice" }
                for text in texts { ends.insert("\(name).\(key) \(text).\(back)") }
                words.append("\(key)=\(texts.sorted().joined(separator: ","))")
            }
            shown[name] = words.joined(separator: " ")
        }
        for end in ends {
            let parts = end.split(separator: " ")
            if !ends.contains("\(parts[1]) \(parts[0])") { contradiction = contradiction ?? "one end only: \(end)" }
        }
        return (shown, contradiction)
    }

    private static let inverses = [
        "Shelf": [("books", "shelf")], "Book": [("shelf", "books"), ("tags", "books"), ("marker", "book")],
        "Tag": [("books", "tags")], "Marker": [("book", "marker")],
    ]
}

/// One change of a context, as a program makes it; what is not there is left alone.
enum LibraryEdit: Sendable, CustomStringConvertible {
    case insert(String)
    case delete(String)
    case title(String, String)
    case shelf(String, String?)
    case marker(String, String?)
    case book(String, String?)
    case tag(String, String, Bool)

    static func random(_ random: inout SeededGenerator) -> LibraryEdit {
        func one(_ letter: Character) -> String {
            Library.names.filter { $0.first == letter }.randomElement(using: &random) ?? ""
        }
        let name = Library.names.randomElement(using: &random) ?? ""
        let isNone = Int.random(in: 0..<4, using: &random) == 0
        return switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: .insert(name)
        case 3..<6: .delete(name)
        case 6..<9: .title(name, ["x", "y", "z"].randomElement(using: &random) ?? "")
        case 9..<13: .shelf(one("B"), isNone ? nil : one("S"))
        case 13..<15: .marker(one("B"), isNone ? nil : one("M"))
        case 15..<17: .book(one("M"), isNone ? nil : one("B"))
        default: .tag(one("B"), one("T"), !isNone)
        }
    }

    func apply(_ context: ManagedObjectContext) throws {
        func there(_ name: String) -> ManagedObject? { try? context.existingObject(with: Library.id(name)) }
        func set(_ name: String, _ key: String, _ target: String?) throws {
            guard let object = there(name) else { return }
            guard let target else { return try object.setValue(.null, forKey: key) }
            if there(target) != nil { try object.setValue(.reference(Library.id(target).uniqueID), forKey: key) }
        }
        switch self {
        case .insert(let name):
            let isDeletedHere = context.registeredObject(for: Library.id(name))?.state == .deleted
            guard there(name) == nil, !isDeletedHere else { return }
            try context.insert(entity: Library.entity(name), id: Library.id(name).uniqueID)
        case .delete(let name):
            if let object = there(name) { context.delete(object) }
        case .title(let name, let text): try there(name)?.setValue(.string(text), forKey: "title")
        case .shelf(let book, let shelf): try set(book, "shelf", shelf)
        case .marker(let book, let marker): try set(book, "marker", marker)
        case .book(let marker, let book): try set(marker, "book", book)
        case .tag(let book, let tag, let isLinked):
            guard let object = there(book), let other = there(tag) else { return }
            if isLinked { try object.link(other, forKey: "tags") } else { try object.unlink(other, forKey: "tags") }
        }
    }

    var description: String {
        switch self {
        case .insert(let name): "insert \(name)"
        case .delete(let name): "delete \(name)"
        case .title(let name, let text): "\(name).title = \(text)"
        case .shelf(let book, let shelf): "\(book).shelf = \(shelf ?? "nil")"
        case .marker(let book, let marker): "\(book).marker = \(marker ?? "nil")"
        case .book(let marker, let book): "\(marker).book = \(book ?? "nil")"
        case .tag(let book, let tag, let isLinked): "\(book) \(isLinked ? "link" : "unlink") \(tag)"
        }
    }
}

/// The view context and a background context with undo stacks, which edit, undo and redo while others save.
///
/// The oracle is a new context, which shows the store. What a context shows is free of contradictions after each step.
/// Without unsaved changes it shows the store. What it shows before a save is what the store has after it. When all
/// unsaved groups are undone it has no changes, and shows the newest store.
@MainActor
final class LibraryRun {
    let container: PersistentContainer
    private let folder: TemporaryFolder
    private let background: BackgroundContext
    private let rule: DeleteRule
    /// Whether the stacks are emptied by a save, so that undoing everything ends at the store's state.
    private let endsAtSaves: Bool
    private(set) var log: [String]

    init(_ random: inout SeededGenerator) async throws {
        rule = [DeleteRule.nullify, .nullify, .cascade, .deny].randomElement(using: &random) ?? .nullify
        folder = try TemporaryFolder("library")
        container = try await PersistentContainer.open(
            folder,
            model: try Library.model(delete: rule),
            environment: .seeded(random.next())
        )
        container.setMergeOptions(.unsaved)
        endsAtSaves = Bool.random(using: &random)
        let isRetaining = Bool.random(using: &random)
        log = ["delete rule \(rule), \(endsAtSaves ? "saves empty the stack" : "the stack stays")"]
        background = container.newBackgroundContext(name: "background", mergePolicy: .objectTrump)
        await background.perform { context in
            context.undoStack = UndoStack()
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = isRetaining
        }
        container.viewContext.retainsRegisteredObjects = isRetaining
        try await container.save { context in
            for name in ["S1", "S2", "B1", "B2", "T1", "M1"] { try LibraryEdit.insert(name).apply(context) }
            try LibraryEdit.shelf("B1", "S1").apply(context)
            try LibraryEdit.marker("B1", "M1").apply(context)
            try LibraryEdit.tag("B1", "T1", true).apply(context)
        }
        await container.mergePendingChanges()
    }

    func close() async throws { try await container.close() }

    /// One step of a run.
    enum Step: Sendable {
        case edit([LibraryEdit], isView: Bool)
        case undo(isView: Bool)
        case redo(isView: Bool)
        case elsewhere([LibraryEdit])
        case merge
        case refreshAll(isView: Bool)
        case undoAll(isView: Bool)
        case save(isView: Bool)

        static func random(_ random: inout SeededGenerator) -> Step {
            let isView = Int.random(in: 0..<3, using: &random) > 0
            func edits() -> [LibraryEdit] {
                (0...Int.random(in: 0..<2, using: &random)).map { _ in LibraryEdit.random(&random) }
            }
            return switch Int.random(in: 0..<100, using: &random) {
            case 0..<40: .edit(edits(), isView: isView)
            case 40..<55: .undo(isView: isView)
            case 55..<62: .redo(isView: isView)
            case 62..<80: .elsewhere(edits())
            case 80..<88: .merge
            case 88..<91: .refreshAll(isView: isView)
            case 91..<94: .undoAll(isView: isView)
            default: .save(isView: isView)
            }
        }
    }

    /// Takes a step; returns what is wrong after it.
    func take(_ step: Step) async throws -> String? {
        switch step {
        case .edit(let edits, let isView):
            return try await take("\(edits)", isView) { context in for edit in edits { try edit.apply(context) } }
        case .undo(let isView): return try await take("undo", isView) { $0.undo() }
        case .redo(let isView): return try await take("redo", isView) { $0.redo() }
        case .elsewhere(let edits):
            log.append("elsewhere: \(edits)")
            try await container.performBackgroundTask { context in
                for edit in edits { try edit.apply(context) }
                do { try context.save() } catch is ValidationError {}
            }
            return nil
        case .merge:
            log.append("merge")
            await container.mergePendingChanges()
            return try await take("look", true) { _ in }
        case .refreshAll(let isView): return try await take("refresh all", isView) { $0.refreshAllObjects() }
        case .undoAll(let isView): return try await undoAll(isView)
        case .save(let isView): return try await save(isView)
        }
    }

    private func undoAll(_ isView: Bool) async throws -> String? {
        guard endsAtSaves else { return nil }
        await container.mergePendingChanges()
        return try await take("undo all", isView) { context in
            while context.undoStack?.canUndo == true { context.undo() }
            let changed = context.pending.objects.map {
                "\(Library.name($0.objectID)) \($0.state) \($0.changedValues())"
            }
            guard changed.isEmpty else { throw Contradiction("has changes after all are undone: \(changed)") }
        }
    }

    private func save(_ isView: Bool) async throws -> String? {
        await container.mergePendingChanges()
        let (endsAtSaves, rule) = (endsAtSaves, rule)
        return try await take("save", isView) { context in
            let before = try Library.picture(context)
            if let contradiction = before.contradiction { throw Contradiction("before the save: \(contradiction)") }
            // An object that is inserted under the ID of a deleted one has that one's links in the store.
            let isComparable = context.insertedObjects.isEmpty
            do { try context.save() } catch is ValidationError { return }
            let after = try Library.picture(context)
            let isFreed = after.shown.contains { name, text in
                // Statement 13: a one-to-one target that its owner lets go has the next owner that the store knows.
                text.contains("marker=M") && before.shown[name]?.contains("marker=M") == false
            }
            // Cascade also deletes what others have linked to an object since it was deleted here.
            let isCascaded = rule == .cascade && before.shown.keys.contains { after.shown[$0] == nil }
            if isComparable, !isFreed, !isCascaded, let difference = Library.difference(before.shown, after.shown) {
                throw Contradiction("the save has changed \(difference)")
            }
            if endsAtSaves { context.undoStack?.removeAllActions() }
        }
    }

    private struct Contradiction: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// Runs a block with a context, and looks at what it shows afterwards.
    private func take(
        _ what: String,
        _ isView: Bool,
        _ block: @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> String? {
        log.append("\(isView ? "view" : "background"): \(what)")
        do {
            let look = { @Sendable (context: ManagedObjectContext) throws -> (shown: [String: String], isIdle: Bool) in
                let (shown, contradiction) = try Library.picture(context)
                if let contradiction { throw Contradiction(contradiction) }
                return (shown, !context.hasChanges)
            }
            let shown: [String: String]
            let isIdle: Bool
            if isView {
                let view = container.viewContext
                try block(view)
                view.processPendingChanges()
                (shown, isIdle) = try look(view)
                guard isIdle, view.generation?.number == newest else { return nil }
            } else {
                try await background.perform(block)
                (shown, isIdle) = try await background.perform(look)
                guard isIdle else { return nil }
            }
            let stored = try await container.performBackgroundTask { try Library.picture($0).shown }
            return Library.difference(shown, stored).map { "shows, without changes, not the store: \($0)" }
        } catch {
            return "\(error)"
        }
    }

    private var newest: Int64? { try? container.store.read { try $0.history.newestTransaction() } }
}

extension Library {
    static func difference(_ left: [String: String], _ right: [String: String]) -> String? {
        let names = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
        guard !names.isEmpty else { return nil }
        return names.map { "\($0): '\(left[$0] ?? "nothing")', '\(right[$0] ?? "nothing")'" }.joined(separator: "; ")
    }
}
