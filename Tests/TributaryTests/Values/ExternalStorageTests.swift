import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

struct ExternalStorageTests {
    private struct Interrupted: Error {}

    let folder: TemporaryFolder
    let container: PersistentContainer
    private let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let other = Data(repeating: 7, count: 131_073)

    init() async throws { (folder, container) = try await Gallery.open() }

    private var blobs: String { folder.path("gallery.sqlite-blobs") }

    private func files() -> [String] {
        let all = FileManager.default.subpaths(atPath: blobs) ?? []
        return all.filter { $0.contains("/") }.sorted()
    }

    private func types(_ name: String = "gallery") throws -> [String?] {
        try PlainSQL(path: folder.path("\(name).sqlite"))
            .rows("SELECT typeof(photo) FROM Exhibit ORDER BY _id").map { $0[0] }
    }

    private func digest(_ container: PersistentContainer) throws -> String {
        try container.store.read { try $0.mergeState.digest().digest }
    }

    @Test
    func aLargeValueLiesInAFileOfItsHash() async throws {
        let (large, other) = (large, other)
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
        #expect(files().count == 2)
        #expect(try types() == ["text"])
        let row = try #require(
            try PlainSQL(path: folder.path("gallery.sqlite")).rows("SELECT photo, typeof(raw) FROM Exhibit").first
        )
        let name = try #require(files().first { row[0]?.contains($0.suffix(64)) == true })
        #expect(row[0] == "{\"blob\":\"\(name.suffix(64))\",\"size\":131073}")
        #expect(row[1] == "blob")
        #expect(name == "\(name.suffix(64).prefix(2))/\(name.suffix(64))")
        #expect(FileManager.default.contents(atPath: "\(blobs)/\(name)") == other)
    }

    @Test
    func smallValuesStayInTheirRows() async throws {
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = Data(count: 131_072)
            try context.insert(Exhibit.self).photo = Data(count: 131_073)
            try context.insert(Exhibit.self).photo = Data()
            try context.save()
        }
        #expect(try types().compactMap { $0 }.sorted() == ["blob", "blob", "text"])
        #expect(files().count == 1)
    }

    @Test
    func theLogAndTheDigestAreTheSameWithAndWithout() async throws {
        let (large, other) = (large, other)
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
            #expect(try digest(replica) == digest(container))
            try await replica.performBackgroundTask { context in
                let photos = try context.fetch(Exhibit.self).map(\.photo)
                #expect(photos == [other])
            }
        }
        #expect(try types("plain") == ["blob"])
        #expect(try types("external") == ["text"])
        #expect(FileManager.default.fileExists(atPath: folder.path("external.sqlite-blobs")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("plain.sqlite-blobs")))
        let lines = try container.store.localLines()
        #expect(!lines.contains("\"blob\""), "the names of this store's files mean nothing to others")
    }

    @Test
    func undoAndCopiesBringTheBytesBack() async throws {
        let (large, other) = (large, other)
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
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
        try await replica.performBackgroundTask { context in
            let photos = try context.fetch(Exhibit.self).map(\.photo)
            #expect(photos == [large, large])
        }
        #expect(try digest(replica) == digest(container))
    }

    @Test
    func batchesAndTransformablesTakeTheSameWay() async throws {
        let (large, other) = (large, other)
        try await container.execute(BatchInsertRequest("Exhibit", rows: [["photo": .binary([UInt8](large))]]))
        #expect(try types() == ["text"])
        try await container.performBackgroundTask { context in
            let photos = try context.fetch(Exhibit.self).map(\.photo)
            #expect(photos == [large])
        }
        try await container.execute(BatchUpdateRequest("Exhibit", setting: ["photo": .value(.binary([UInt8](other)))]))
        try await container.performBackgroundTask { context in
            let photos = try context.fetch(Exhibit.self).map(\.photo)
            #expect(photos == [other])
        }
        #expect(files().count == 2)
    }

    @Test
    func aTransactionThatNeverCommitsLeavesOnlyAFile() async throws {
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
        #expect(files().count == 1, "the file came before the commit")
        #expect(try types().isEmpty)
        let large = large
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            #expect(try context.fetch(Exhibit.self).first?.photo == large)
        }
        #expect(files().count == 1, "the orphan is found again")
    }

    @Test
    func aSaveWhoseFileCannotBeWrittenWritesNothing() async throws {
        #expect(FileManager.default.createFile(atPath: blobs, contents: Data()))
        let large = large
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit.photo = large
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges && exhibit.photo == large)
            try FileManager.default.removeItem(atPath: blobs)
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try types() == ["text"])
    }

    @Test
    func missingBytesAreNoValueWithAReason() async throws {
        let large = large
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            context.reset()
            try FileManager.default.removeItem(atPath: blobs)
            let read = try #require(try context.fetch(Exhibit.self).first)
            #expect(read.photo == nil)
            guard case .unreadable(let id, let reason)? = read.faultError else {
                Issue.record("\(String(describing: read.faultError))")
                return
            }
            #expect(id == read.objectID)
            #expect(reason.contains("'photo'") && reason.contains("gallery.sqlite-blobs/"))
            #expect(reason.contains("No such file or directory"))
        }
    }

    @Test
    func aStoreInMemoryKeepsEverythingInItsRows() async throws {
        let memory = try await PersistentContainer(
            name: "memory",
            model: try Gallery.model(),
            classes: Gallery.classes,
            store: .memory,
            transformers: Gallery.transformers,
            merging: .fixture
        )
        let large = large
        try await memory.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            context.reset()
            #expect(try context.fetch(Exhibit.self).first?.photo == large)
        }
        let path = memory.store.configuration.path
        #expect(try PlainSQL(path: path).value("SELECT typeof(photo) FROM Exhibit") == "blob")
        #expect(!FileManager.default.fileExists(atPath: path + "-blobs"))
    }

    @Test
    func valuesFromBeforeAndAfterTheModelsChangeAreRead() async throws {
        let large = large
        let plain = try await Gallery.open(folder, name: "changing", hasExternalStorage: false)
        try await plain.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
        }
        try await plain.close()
        let external = try await Gallery.open(folder, name: "changing")
        try await external.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
        }
        try await external.close()
        #expect(try types("changing") == ["blob", "text"])
        let again = try await Gallery.open(folder, name: "changing", hasExternalStorage: false)
        try await again.performBackgroundTask { context in
            let photos = try context.fetch(Exhibit.self).map(\.photo)
            #expect(photos == [large, large])
        }
    }
}
