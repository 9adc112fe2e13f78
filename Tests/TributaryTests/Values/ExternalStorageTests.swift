import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

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
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
            try context.insert(Exhibit.self).photo = other
            try context.save()
            exhibit.photo = other
            try context.save()
            context.delete(exhibit)
            try context.save()
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
}
