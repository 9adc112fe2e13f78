import Foundation
import TestSupport
import Testing
import Tributary
import TributaryChanges
import TributaryModel

/// Tests the checked-in classes in a container.
@Suite("Generated classes and snapshots")
struct SnapshotTests {
    private let folder: TemporaryFolder
    private let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("archive")
        container = try await PersistentContainer(
            name: "archive",
            path: folder.path("store.sqlite"),
            model: try Model(yaml: ArchiveText.yaml),
            classes: ArchiveModel.classes
        )
    }

    private func insertBook() async throws -> Book.Snapshot {
        try await container.performBackgroundTask { context in
            let shelf = try context.insert(Shelf.self)
            shelf.number = 7
            let book = try context.insert(Book.self)
            book.title = "Tides"
            book.pages = 300
            book.price = Decimal(string: "12.5")
            book.class = "A"
            book.homepage = URL(string: "https://example.org/tides")
            book.size = Size(width: 1.5, unit: "cm")
            book.extra = Data([1, 2])
            book.shelf = shelf
            for name in ["one", "two"] {
                let chapter = try context.insert(Chapter.self)
                chapter.name = name
                book.add(chapter, to: Book.chapters)
            }
            try context.save()
            return Book.Snapshot(book)
        }
    }

    @Test func aSnapshotCrossesContextsAndProcesses() async throws {
        let snapshot = try await insertBook()
        #expect(snapshot.title == "Tides")
        #expect(snapshot.pages == 300)
        #expect(snapshot.price == Decimal(string: "12.5"))
        #expect(snapshot.class == "A")
        #expect(snapshot.isDeleted_ == false)
        #expect(snapshot.size == Size(width: 1.5, unit: "cm"))
        #expect(snapshot.extra == Data([1, 2]))
        #expect(snapshot.isbn == nil)
        #expect(snapshot.shelfID?.entity == "Shelf")
        let coded = try JSONEncoder().encode(snapshot)
        #expect(try JSONDecoder().decode(Book.Snapshot.self, from: coded) == snapshot)
        #expect(Set([snapshot, snapshot]).count == 1)
        try await container.close()
    }

    @Test func storedValuesReadBackTyped() async throws {
        let saved = try await insertBook()
        let (read, shelf, names) = try await container.performBackgroundTask { context in
            let book = try #require(try context.existingObject(with: saved.objectID) as? Book)
            let names = Set(book.chapters.map(\.name))
            return (book.snapshot(as: Book.Snapshot.self), book.shelf?.number, names)
        }
        #expect(read == saved)
        #expect(shelf == 7)
        #expect(names == ["one", "two"])
        try await container.close()
    }

    @Test func insertAndUpdateTakeASnapshotBack() async throws {
        var snapshot = try await insertBook()
        let old = snapshot
        try await container.performBackgroundTask { context in
            context.delete(try context.existingObject(with: old.objectID))
            try context.save()
        }
        try await container.performBackgroundTask { context in
            try context.insert(from: old)
            try context.save()
        }
        snapshot.title = "Currents"
        snapshot.shelfID = nil
        let changed = snapshot
        let (again, after) = try await container.performBackgroundTask { context in
            let book = try #require(try context.existingObject(with: old.objectID) as? Book)
            let again = Book.Snapshot(book)
            try book.update(from: changed)
            try context.save()
            return (again, Book.Snapshot(book))
        }
        #expect(again == old)
        #expect(after == changed)
        try await container.close()
    }

    @Test func aGenericSnapshotIsTakenBackWholeOrNotAtAll() async throws {
        let saved = try await insertBook()
        try await container.performBackgroundTask { context in
            let book = try #require(try context.existingObject(with: saved.objectID) as? Book)
            let some = book.snapshot(include: ["title", "shelf", "chapters"])
            #expect(Set(some.values.keys) == ["title", "shelf"])
            book.title = "Other"
            try book.update(from: some)
            #expect(book.title == "Tides")
            let bad = ObjectSnapshot(id: book.objectID, values: ["isbn": .string("1"), "title": .integer(1)])
            #expect(throws: ContextError.self) { try book.update(from: bad) }
            #expect(book.isbn == nil)
            #expect(book.title == "Tides")
            let id = ManagedObjectID(
                store: "archive",
                entity: "Chapter",
                rootEntity: "Chapter",
                uniqueID: UniqueID(high: 1, low: 2)
            )
            let chapter = try context.insert(from: ObjectSnapshot(id: id, values: ["name": .string("sea")]))
            #expect((chapter as? Chapter)?.name == "sea")
            #expect(chapter.objectID == id)
            #expect(throws: ContextError.self) {
                try book.update(from: Chapter.Snapshot(try #require(chapter as? Chapter)))
            }
        }
        try await container.close()
    }

    @Test func keysFindWhatTheAccessorsSet() async throws {
        let saved = try await insertBook()
        let found = try await container.performBackgroundTask { context in
            let predicate = Book.keys.title == "Tides" && Book.keys.pages > 200 && Book.keys.shelf.number == 7
            return try context.fetch(Book.self, predicate: predicate).map(\.objectID)
        }
        #expect(found == [saved.objectID])
        #expect(Book.Snapshot.propertyName(of: \.isDeleted_) == "isDeleted")
        #expect(Book.Snapshot.propertyName(of: \.shelfID) == "shelf")
        #expect(Book.Snapshot.propertyName(of: \.objectID) == nil)
        try await container.close()
    }
}
