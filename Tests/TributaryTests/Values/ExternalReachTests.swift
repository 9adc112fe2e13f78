import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Large binaries wherever values go: conflicts, batches, dictionaries, streams, children, derived attributes, other
/// containers.
struct ExternalReachTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let other = Data(repeating: 7, count: 131_073)

    init() async throws { (folder, container) = try await Gallery.open() }

    private func files() -> [String] {
        let all = FileManager.default.subpaths(atPath: folder.path("gallery.sqlite-blobs")) ?? []
        return all.filter { $0.contains("/") }
    }

    private func saved() async throws -> ManagedObjectID {
        let large = large
        return try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            (exhibit.photo, exhibit.title) = (large, "one")
            try context.save()
            return exhibit.objectID
        }
    }

    private func value(_ data: Data) -> PropertyValue { .binary([UInt8](data)) }

    @Test
    func conflictsCarryTheBytesOfBothSides() async throws {
        let id = try await saved()
        let (large, other) = (large, other)
        let mine = Data(repeating: 1, count: 140_000)
        let background = container.newBackgroundContext()
        try await background.perform { context in
            try #require(try context.existingObject(with: id) as? Exhibit).photo = mine
        }
        try await container.performBackgroundTask { context in
            try #require(try context.existingObject(with: id) as? Exhibit).photo = other
            try context.save()
        }
        let error = try await #require(throws: ConflictError.self) {
            try await background.perform { context in try context.save() }
        }
        let conflict = try #require(error.conflicts.first)
        #expect(conflict.changedProperties == ["photo"] && conflict.changedInStore == ["photo"])
        #expect(conflict.cached["photo"] == value(large))
        #expect(conflict.stored?["photo"] == value(other))
        let stored = try await background.perform { context in
            var stored: PropertyValue?
            context.resolveConflict = { _, conflict in
                stored = conflict.stored?["photo"]
                return .objectTrump
            }
            try context.save()
            #expect(try (context.existingObject(with: id) as? Exhibit)?.photo == mine)
            return stored
        }
        #expect(stored == value(other))
    }

    @Test(arguments: [MergePolicy.storeTrump, .objectTrump, .overwrite, .rollback])
    func everyPolicyKeepsTheBytes(_ policy: MergePolicy) async throws {
        let id = try await saved()
        let large = large
        let background = container.newBackgroundContext(mergePolicy: policy)
        try await background.perform { context in
            try #require(try context.existingObject(with: id) as? Exhibit).title = "here"
        }
        try await container.performBackgroundTask { context in
            try #require(try context.existingObject(with: id) as? Exhibit).large = 5
            try context.save()
        }
        try await background.perform { context in
            try context.save()
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            #expect(exhibit.photo == large)
            #expect(exhibit.title == (policy == .rollback ? "one" : "here"))
        }
        let replica = try await Gallery.open(folder, name: "replica")
        try ReplicaExchange.send(from: container.store, to: replica.store)
        let digests = try [container, replica].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(digests[0] == digests[1])
    }

    @Test
    func changedAndDiscardedValuesHaveTheBytes() async throws {
        let id = try await saved()
        let (large, other) = (large, other)
        try await container.performBackgroundTask { context in
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            exhibit.photo = other
            #expect(exhibit.changedValues() == ["photo": .binary([UInt8](other))])
            #expect(exhibit.changedValuesForCurrentEvent() == ["photo": .binary([UInt8](large))])
            #expect(try exhibit.committedValues(forKeys: ["photo"]) == ["photo": .binary([UInt8](large))])
            context.rollback()
            #expect(exhibit.photo == large && !context.hasChanges)
            // The very object that is there, by its bytes.
            try exhibit.setValue(.binary([UInt8](large)), forKey: "photo")
            #expect(!context.hasChanges)
            exhibit.photo = nil
            try context.save()
            #expect(exhibit.photo == nil && exhibit.faultError == nil)
        }
    }

    @Test
    func dictionariesStreamsAndSnapshotsHaveTheBytes() async throws {
        let id = try await saved()
        let bytes = value(large)
        await container.mergePendingChanges()
        var request = FetchRequest("Exhibit")
        request.propertiesToFetch = ["title", "photo"]
        let query = request
        #expect(try await container.fetchDictionaries(query).map { $0["photo"] } == [bytes])
        #expect(try await container.fetch(FetchRequest("Exhibit")).map { $0["photo"] } == [bytes])
        var streamed: [PropertyValue] = []
        for try await portion in container.stream(FetchRequest("Exhibit")) { streamed += portion.map { $0["photo"] } }
        #expect(streamed == [bytes])
        let (large, other) = (large, other)
        try await container.performBackgroundTask { context in
            #expect(try context.fetchDictionaries(query).first?.value("photo", as: Data.self) == large)
            // Computed in memory, because something is not saved.
            try context.insert(Exhibit.self).photo = other
            let all = try context.fetchDictionaries(query).compactMap { $0.value("photo", as: Data.self) }
            #expect(Set(all) == [large, other])
            context.rollback()
            #expect(try context.existingObject(with: id).snapshot()["photo"] == bytes)
        }
    }

    @Test
    func predicatesHoldItAgainstNothingOnly() async throws {
        _ = try await saved()
        let (bytes, large) = (value(large), large)
        try await container.performBackgroundTask { context in
            for isSaved in [true, false] {
                if !isSaved { try context.insert(Exhibit.self).photo = large }
                let count = isSaved ? 1 : 2
                #expect(try context.count(for: FetchRequest("Exhibit", where: "photo != NULL")) == count)
                #expect(try context.count(for: FetchRequest("Exhibit", where: "photo == NULL")) == 0)
                #expect(
                    try context.fetch(FetchRequest("Exhibit", where: "photo != nil AND NOT photo == nil")).count
                        == count
                )
                for condition in ["photo == %@", "photo != %@", "%@ == photo", "photo IN {%@}"] {
                    #expect(throws: (any Error).self, "\(condition)") {
                        try context.fetch(FetchRequest("Exhibit", where: condition, [.value(bytes)]))
                    }
                }
                for condition in ["length:(photo) > 5", "photo BEGINSWITH '{'", "photo.blob != NULL"] {
                    #expect(throws: (any Error).self, "\(condition)") {
                        try context.fetch(FetchRequest("Exhibit", where: condition))
                    }
                }
                var sorted = FetchRequest("Exhibit")
                sorted.sortKeys = [SortKey("photo")]
                #expect(throws: (any Error).self) { try context.fetch(sorted) }
            }
        }
    }

    @Test
    func batchesCopyAndCompareBytes() async throws {
        let id = try await saved()
        let (large, other) = (large, other)
        let same = BatchUpdateRequest("Exhibit", setting: ["photo": .value(value(large))])
        #expect(try await container.execute(same).count == 0, "what has the value already is not written")
        let copy = BatchUpdateRequest("Exhibit", setting: ["raw": .property("photo"), "photo": .value(value(other))])
        #expect(try await container.execute(copy).count == 1)
        try await container.performBackgroundTask { context in
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            #expect(exhibit.raw == large && exhibit.photo == other)
        }
        #expect(try PlainSQL(path: folder.path("gallery.sqlite")).value("SELECT typeof(raw) FROM Exhibit") == "blob")
        try await container.execute(BatchUpdateRequest("Exhibit", setting: ["photo": .property("raw")]))
        #expect(files().count == 2)
        let replica = try await Gallery.open(folder, name: "replica", hasExternalStorage: false)
        try ReplicaExchange.send(from: container.store, to: replica.store)
        try await replica.performBackgroundTask { context in
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            #expect(exhibit.raw == large && exhibit.photo == large)
        }
        try await container.execute(BatchDeleteRequest("Exhibit"))
        #expect(files().count == 2, "files are never deleted")
    }

    @Test
    func childrenReadAndWriteThroughTheirParent() async throws {
        let id = try await saved()
        let (large, other) = (large, other)
        try await container.performBackgroundTask { parent in
            let child = parent.newChild()
            let exhibit = try #require(try child.existingObject(with: id) as? Exhibit)
            #expect(exhibit.photo == large)
            exhibit.photo = other
            let new = try child.insert(Exhibit.self)
            new.photo = large
            try child.save()
            let above = try #require(try parent.existingObject(with: id) as? Exhibit)
            #expect(above.photo == other && exhibit.photo == other && new.photo == large)
            try parent.save()
            #expect(above.photo == other)
            child.refreshAllObjects()
            #expect(exhibit.photo == other && new.photo == large)
        }
        #expect(files().count == 2)
    }

    @Test
    func theSameBytesAreOneFileThatTheGroupMayRead() async throws {
        // In a process of its own, since a umask is that of all threads.
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            umask(0o077)
            let container = try await Gallery.open(at: path)
            try await container.performBackgroundTask { context in
                let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                for _ in 0..<3 { try context.insert(Exhibit.self).photo = large }
                try context.save()
            }
            try await container.close()
        }
        let name = try #require(files().count == 1 ? files().first : nil)
        let root = folder.path("gallery.sqlite-blobs")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode("\(root)/\(name)") == 0o640)
        #expect(try mode("\(root)/\(name.prefix(2))") == 0o750 && mode(root) == 0o750)
        let rows = try PlainSQL(path: folder.path("gallery.sqlite")).rows("SELECT DISTINCT photo FROM Exhibit")
        #expect(rows == [["{\"blob\":\"\(name.suffix(64))\",\"size\":200000}"]])
    }

    @Test
    func anotherContainerOnTheStoreReadsAndWritesThem() async throws {
        let id = try await saved()
        let there = try await Gallery.open(folder)
        let (large, other) = (large, other)
        try await there.performBackgroundTask { context in
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            #expect(exhibit.photo == large)
            exhibit.photo = other
            try context.save()
        }
        try await container.performBackgroundTask { context in
            let exhibit = try #require(try context.existingObject(with: id) as? Exhibit)
            #expect(exhibit.photo == other)
        }
        try await there.close()
    }

    @Test
    func historyTellsOfThemAndTombstonesKeepTheirBytes() async throws {
        var note = EntityDefinition(name: "Note")
        var scan = Attribute(name: "scan", type: .binary)
        (scan.isOptional, scan.allowsExternalBinaryStorage, scan.preservesValueAfterDeletion) = (true, true, true)
        var photo = Attribute(name: "photo", type: .binary)
        (photo.isOptional, photo.allowsExternalBinaryStorage) = (true, true)
        note.attributes = [scan, photo]
        let notes = try await PersistentContainer(
            name: "notes",
            path: folder.path("notes.sqlite"),
            model: try Model(version: "1", entities: [note]),
            merging: .fixture
        )
        let bytes = value(large)
        try await notes.performBackgroundTask { context in
            let note = try context.insert(entity: "Note")
            try note.setValue(bytes, forKey: "scan")
            try note.setValue(bytes, forKey: "photo")
            try context.save()
            context.delete(note)
            try context.save()
        }
        let changes = try notes.fetchHistory().flatMap(\.changes)
        #expect(changes.map(\.kind) == [.insert, .delete])
        #expect(changes.last?.tombstone == ["scan": bytes])
        try await notes.close()
    }

    @Test
    func derivedCopiesAreValuesOfTheirOwn() async throws {
        var album = EntityDefinition(name: "Album")
        var cover = Attribute(name: "cover", type: .binary)
        (cover.isOptional, cover.allowsExternalBinaryStorage) = (true, true)
        album.attributes = [cover]
        var page = EntityDefinition(name: "Page")
        var shown = Attribute(name: "shown", type: .binary)
        (shown.isOptional, shown.derivationExpression) = (true, "album.cover")
        page.attributes = [shown]
        var albumOf = Relationship(name: "album", destination: "Album", inverse: "pages")
        albumOf.isOptional = true
        var pages = Relationship(name: "pages", destination: "Page", inverse: "album")
        (pages.isOptional, pages.isToMany) = (true, true)
        page.relationships = [albumOf]
        album.relationships = [pages]
        let albums = try await PersistentContainer(
            name: "albums",
            path: folder.path("albums.sqlite"),
            model: try Model(version: "1", entities: [album, page]),
            merging: .fixture
        )
        let (bytes, more) = (value(large), value(other))
        let id = try await albums.performBackgroundTask { context in
            let (album, page) = (try context.insert(entity: "Album"), try context.insert(entity: "Page"))
            try album.setValue(bytes, forKey: "cover")
            try context.save()
            context.reset()
            let again = try context.existingObject(with: album.objectID)
            let new = try context.insert(entity: "Page")
            try new.setValue(.reference(again.uniqueID), forKey: "album")
            try context.save()
            #expect(try new.value(forKey: "shown") == bytes)
            _ = page
            return new.objectID
        }
        try await albums.execute(BatchUpdateRequest("Album", setting: ["cover": .value(more)]))
        try await albums.performBackgroundTask { context in
            let page = try context.existingObject(with: id)
            #expect(try page.value(forKey: "shown") == more)
        }
        #expect(
            try PlainSQL(path: folder.path("albums.sqlite")).value(
                "SELECT max(typeof(shown)) FROM Page WHERE shown NOTNULL"
            ) == "blob"
        )
        let lines = try albums.store.localLines()
        #expect(!lines.contains("\"blob\""))
        try await albums.close()
    }
}
