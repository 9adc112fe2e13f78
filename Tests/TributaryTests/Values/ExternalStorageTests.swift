import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Large binaries beside the store, and wherever values go: conflicts, batches, dictionaries, streams, children, derived
/// attributes, other containers.
struct ExternalStorageTests {
    private struct Interrupted: Error {}

    private let store: LargeBinaries
    private var folder: TemporaryFolder { store.folder }
    private var container: PersistentContainer { store.container }
    private var large: Data { store.large }
    private var other: Data { store.other }

    init() async throws { store = try await LargeBinaries() }

    private func types(_ name: String = "gallery") throws -> [String?] {
        try PlainSQL(path: folder.path("\(name).sqlite"))
            .rows("SELECT typeof(photo) FROM Exhibit ORDER BY _id").map { $0[0] }
    }

    @Test func aLargeValueLiesInAFileOfItsHash() async throws {
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
            exhibit.raw = large
            try context.save()
            #expect(exhibit.photo == large)
            context.reset()
            let read = try #require(try context.fetch(Exhibit.self).first)
            #expect(read.photo == large && read.raw == large)
            #expect(try read.value(forKey: "photo") == .binary([UInt8](large)))
            #expect(try read.committedValues(forKeys: ["photo"])["photo"] == .binary([UInt8](large)))
            #expect(read.snapshot()["photo"] == .binary([UInt8](large)))
            #expect(read[Exhibit.photo, as: [UInt8].self].count == 200_000)
            #expect(try context.count(for: FetchRequest("Exhibit", where: "photo != NULL")) == 1)
            #expect(try context.count(for: FetchRequest("Exhibit", where: "photo == NULL")) == 0)
            read.photo = large
            #expect(!context.hasChanges, "the same bytes are no change")
            read.photo = other
            try context.save()
            #expect(read.photo == other)
        }
        #expect(store.files.count == 2)
        #expect(try types() == ["text"])
        let row = try #require(
            try PlainSQL(path: folder.path("gallery.sqlite")).rows("SELECT photo, typeof(raw) FROM Exhibit").first
        )
        let name = try #require(store.files.first { row[0]?.contains($0.suffix(64)) == true })
        #expect(row[0] == "{\"blob\":\"\(name.suffix(64))\",\"size\":131073}")
        #expect(row[1] == "blob")
        #expect(name == "\(name.suffix(64).prefix(2))/\(name.suffix(64))")
        #expect(FileManager.default.contents(atPath: "\(store.blobs)/\(name)") == other)
    }

    @Test func smallValuesStayInTheirRows() async throws {
        try await container.save { context in
            try context.insert(Exhibit.self).photo = Data(count: 131_072)
            try context.insert(Exhibit.self).photo = Data(count: 131_073)
            try context.insert(Exhibit.self).photo = Data()
        }
        #expect(try types().compactMap { $0 }.sorted() == ["blob", "blob", "text"])
        #expect(store.files.count == 1)
    }

    @Test func theLogAndTheDigestAreTheSameWithAndWithout() async throws {
        try await container.save { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
            try context.insert(Exhibit.self).photo = other
            try context.save()
            exhibit.photo = other
            try context.save()
            context.delete(exhibit)
        }
        let plain = try await Gallery.open(folder, name: "plain", hasExternalStorage: false)
        let external = try await Gallery.open(folder, name: "external")
        for replica in [plain, external] {
            try ReplicaExchange.send(from: container.store, to: replica.store)
            #expect(try replica.store.digest() == container.store.digest())
            #expect(try await store.photos(replica) == [other])
        }
        #expect(try types("plain") == ["blob"])
        #expect(try types("external") == ["text"])
        #expect(FileManager.default.fileExists(atPath: folder.path("external.sqlite-blobs")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("plain.sqlite-blobs")))
        let lines = try container.store.localLines()
        #expect(!lines.contains("\"blob\""), "the names of this store's files mean nothing to others")
    }

    @Test func undoAndCopiesBringTheBytesBack() async throws {
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            context.reset()
            context.undoStack = UndoStack()
            let read = try #require(try context.fetch(Exhibit.self).first)
            read.photo = other
            try context.save()
            context.undo()
            #expect(read.photo == large)
            try context.save()
            let copy = try context.insert(Exhibit.self)
            try copy.update(from: read.snapshot(include: ["photo"]))
            try context.save()
            context.reset()
            let photos = try context.fetch(Exhibit.self).map(\.photo)
            #expect(photos == [large, large])
        }
        let replica = try await Gallery.open(folder, name: "replica")
        try ReplicaExchange.send(from: container.store, to: replica.store)
        #expect(try await store.photos(replica) == [large, large])
        #expect(try replica.store.digest() == container.store.digest())
    }

    @Test func batchesAndTransformablesTakeTheSameWay() async throws {
        try await container.execute(BatchInsertRequest("Exhibit", rows: [["photo": .binary([UInt8](large))]]))
        #expect(try types() == ["text"])
        #expect(try await store.photos() == [large])
        try await container.execute(BatchUpdateRequest("Exhibit", setting: ["photo": .value(.binary([UInt8](other)))]))
        #expect(try await store.photos() == [other])
        #expect(store.files.count == 2)
    }

    @Test func aTransactionThatNeverCommitsLeavesOnlyAFile() async throws {
        let changes = [
            Change(
                entity: "Exhibit",
                id: UniqueID(high: 1, low: 1),
                operation: .insert([PropertyWrite(name: "photo", value: PropertyValue.binary([UInt8](large)).json)])
            )
        ]
        #expect(throws: Interrupted.self) {
            try container.store.write { write in
                _ = try write.commit(LocalTransaction(changes: changes))
                throw Interrupted()
            }
        }
        #expect(store.files.count == 1, "the file came before the commit")
        #expect(try types().isEmpty)
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            #expect(try context.fetch(Exhibit.self).first?.photo == large)
        }
        #expect(store.files.count == 1, "the orphan is found again")
    }

    @Test func aSaveWhoseFileCannotBeWrittenWritesNothing() async throws {
        #expect(FileManager.default.createFile(atPath: store.blobs, contents: Data()))
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges && exhibit.photo == large)
            try FileManager.default.removeItem(atPath: store.blobs)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try types() == ["text"])
    }

    @Test func aStoreInMemoryKeepsEverythingInItsRows() async throws {
        let memory = try await PersistentContainer(
            name: "memory",
            model: try Gallery.model(),
            classes: Gallery.classes,
            store: .memory,
            transformers: Gallery.transformers,
            merging: .fixture
        )
        try await memory.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            context.reset()
            #expect(try context.fetch(Exhibit.self).first?.photo == large)
        }
        let path = memory.store.configuration.path
        #expect(try PlainSQL(path: path).value("SELECT typeof(photo) FROM Exhibit") == "blob")
        #expect(!FileManager.default.fileExists(atPath: path + "-store.blobs"))
    }

    @Test func valuesFromBeforeAndAfterTheModelsChangeAreRead() async throws {
        let plain = try await Gallery.open(folder, name: "changing", hasExternalStorage: false)
        try await plain.save { try $0.insert(Exhibit.self).photo = large }
        try await plain.close()
        let external = try await Gallery.open(folder, name: "changing")
        try await external.save { try $0.insert(Exhibit.self).photo = large }
        try await external.close()
        #expect(try types("changing") == ["blob", "text"])
        let again = try await Gallery.open(folder, name: "changing", hasExternalStorage: false)
        #expect(try await store.photos(again) == [large, large])
    }

    // MARK: Wherever values go

    private func value(_ data: Data) -> PropertyValue { .binary([UInt8](data)) }

    @Test func conflictsCarryTheBytesOfBothSides() async throws {
        let id = try await store.save()
        let mine = Data(repeating: 1, count: 140_000)
        let background = container.newBackgroundContext()
        try await background.perform { try $0.existingObject(with: id, as: Exhibit.self).photo = mine }
        try await store.change(id) { $0.photo = other }
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
        let id = try await store.save()
        let background = container.newBackgroundContext(mergePolicy: policy)
        try await background.perform { try $0.existingObject(with: id, as: Exhibit.self).title = "here" }
        try await store.change(id) { $0.large = 5 }
        try await background.perform { context in
            try context.save()
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.photo == large)
            #expect(exhibit.title == (policy == .rollback ? "one" : "here"))
        }
        let replica = try await Gallery.open(folder, name: "replica")
        try ReplicaExchange.send(from: container.store, to: replica.store)
        #expect(try container.store.digest() == replica.store.digest())
    }

    @Test func changedAndDiscardedValuesHaveTheBytes() async throws {
        let id = try await store.save()
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
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

    @Test func dictionariesStreamsAndSnapshotsHaveTheBytes() async throws {
        let id = try await store.save()
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

    @Test func predicatesHoldItAgainstNothingOnly() async throws {
        _ = try await store.save()
        let bytes = value(large)
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

    @Test func batchesCopyAndCompareBytes() async throws {
        let id = try await store.save()
        let same = BatchUpdateRequest("Exhibit", setting: ["photo": .value(value(large))])
        #expect(try await container.execute(same).count == 0, "what has the value already is not written")
        let copy = BatchUpdateRequest("Exhibit", setting: ["raw": .property("photo"), "photo": .value(value(other))])
        #expect(try await container.execute(copy).count == 1)
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.raw == large && exhibit.photo == other)
        }
        #expect(try PlainSQL(path: folder.path("gallery.sqlite")).value("SELECT typeof(raw) FROM Exhibit") == "blob")
        try await container.execute(BatchUpdateRequest("Exhibit", setting: ["photo": .property("raw")]))
        #expect(store.files.count == 2)
        let replica = try await Gallery.open(folder, name: "replica", hasExternalStorage: false)
        try ReplicaExchange.send(from: container.store, to: replica.store)
        try await replica.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.raw == large && exhibit.photo == large)
        }
        try await container.execute(BatchDeleteRequest("Exhibit"))
        #expect(store.files.count == 2, "files are never deleted")
    }

    @Test func childrenReadAndWriteThroughTheirParent() async throws {
        let id = try await store.save()
        try await container.performBackgroundTask { parent in
            let child = parent.newChild()
            let exhibit = try child.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.photo == large)
            exhibit.photo = other
            let new = try child.insert(Exhibit.self)
            new.photo = large
            try child.save()
            let above = try parent.existingObject(with: id, as: Exhibit.self)
            #expect(above.photo == other && exhibit.photo == other && new.photo == large)
            try parent.save()
            #expect(above.photo == other)
            child.refreshAllObjects()
            #expect(exhibit.photo == other && new.photo == large)
        }
        #expect(store.files.count == 2)
    }

    @Test func theSameBytesAreOneFileThatTheGroupMayRead() async throws {
        // In a process of its own, since a umask is that of all threads.
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            umask(0o077)
            let container = try await Gallery.open(at: path)
            try await container.save { context in
                let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                for _ in 0..<3 { try context.insert(Exhibit.self).photo = large }
            }
            try await container.close()
        }
        let name = try #require(store.files.count == 1 ? store.files.first : nil)
        let root = store.blobs
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode("\(root)/\(name)") == 0o640)
        #expect(try mode("\(root)/\(name.prefix(2))") == 0o750 && mode(root) == 0o750)
        let rows = try PlainSQL(path: folder.path("gallery.sqlite")).rows("SELECT DISTINCT photo FROM Exhibit")
        #expect(rows == [["{\"blob\":\"\(name.suffix(64))\",\"size\":200000}"]])
    }

    @Test func anotherContainerOnTheStoreReadsAndWritesThem() async throws {
        let id = try await store.save()
        let there = try await Gallery.open(folder)
        try await there.save { context in
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.photo == large)
            exhibit.photo = other
        }
        try await container.performBackgroundTask { context in
            let exhibit = try context.existingObject(with: id, as: Exhibit.self)
            #expect(exhibit.photo == other)
        }
        try await there.close()
    }

    @Test func historyTellsOfThemAndTombstonesKeepTheirBytes() async throws {
        let model = try Model(
            entities: """
                Note:
                  attributes:
                    scan: {type: Binary, optional: true, external: true, preserve_after_deletion: true}
                    photo: {type: Binary, optional: true, external: true}
                """
        )
        let notes = try await PersistentContainer.open(folder, "notes", model: model)
        let bytes = value(large)
        try await notes.save { context in
            let note = try context.insert("Note", ["scan": bytes, "photo": bytes])
            try context.save()
            context.delete(note)
        }
        let changes = try notes.fetchHistory().flatMap(\.changes)
        #expect(changes.map(\.kind) == [.insert, .delete])
        #expect(changes.last?.tombstone == ["scan": bytes])
    }

    @Test func derivedCopiesAreValuesOfTheirOwn() async throws {
        let model = try Model(
            entities: """
                Album:
                  attributes: {cover: {type: Binary, optional: true, external: true}}
                  relationships: {pages: {to: Page, many: true, inverse: album}}
                Page:
                  attributes: {shown: {type: Binary, optional: true, derived: album.cover}}
                  relationships: {album: {to: Album?, inverse: pages}}
                """
        )
        let albums = try await PersistentContainer.open(folder, "albums", model: model)
        let (bytes, more) = (value(large), value(other))
        let id = try await albums.performBackgroundTask { context in
            let (album, page) = (try context.insert(entity: "Album"), try context.insert(entity: "Page"))
            try album.setValue(bytes, forKey: "cover")
            try context.save()
            context.reset()
            let again = try context.existingObject(with: album.objectID)
            let new = try context.insert("Page", ["album": .reference(again.uniqueID)])
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
    }
}
