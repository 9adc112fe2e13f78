import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Files of large binaries that are missing or damaged: what it costs, and what it does not.
struct ExternalFailureTests {
    enum Harm: String, CaseIterable, Sendable {
        case removed, shortened, longer, changed, folder, link, pipe

        func happen(to path: String) throws {
            let files = FileManager.default
            guard var bytes = files.contents(atPath: path) else { throw CocoaError(.fileNoSuchFile) }
            try files.removeItem(atPath: path)
            switch self {
            case .removed: return
            case .shortened: bytes.removeLast()
            case .longer: bytes.append(0)
            case .changed: bytes[100_000] ^= 1
            case .folder: return try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .link:
                try bytes.write(to: URL(fileURLWithPath: path + ".there"))
                return try files.createSymbolicLink(atPath: path, withDestinationPath: path + ".there")
            case .pipe:
                guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
                return
            }
            try bytes.write(to: URL(fileURLWithPath: path))
        }
    }

    private let store: LargeBinaries
    private var folder: TemporaryFolder { store.folder }
    private var container: PersistentContainer { store.container }
    private var large: Data { store.large }

    init() async throws { store = try await LargeBinaries() }

    private var file: String {
        get throws { "\(store.blobs)/\(try #require(store.files.count == 1 ? store.files.first : nil))" }
    }

    private func harmed(_ harm: Harm = .removed) async throws -> (ManagedObjectID, ManagedObjectID) {
        let ids = try await container.save { context in
            let (one, two) = (try context.insert(Exhibit.self), try context.insert(Exhibit.self))
            (one.photo, one.title, two.title) = (large, "one", "two")
            return (one.objectID, two.objectID)
        }
        try harm.happen(to: file)
        return ids
    }

    @Test(arguments: Harm.allCases) func itCostsOneValueAndNothingElse(_ harm: Harm) async throws {
        let (id, otherID) = try await harmed(harm)
        let file = harm == .folder || harm == .link || harm == .removed ? nil : try file
        try await container.performBackgroundTask { context in
            var reports: [(ManagedObjectID, ContextError)] = []
            context.onInaccessibleFault = { reports.append(($0.objectID, $1)) }
            let all = try context.fetch(Exhibit.self, sortKeys: [SortKey("title")])
            #expect(all.map(\.title) == ["one", "two"] && all.allSatisfy { $0.faultError == nil })
            let harmed = try #require(all.first)
            #expect(harmed.objectID == id && harmed.photo == nil)
            guard case .unreadable(id, let reason)? = harmed.faultError else { throw Unexpected(harmed.faultError) }
            #expect(reason.contains("'photo'"))
            #expect(harm != .removed || reason.contains("No such file or directory"))
            #expect(reason.contains(file ?? "gallery.sqlite-blobs/"))
            _ = harmed.photo
            #expect(reports.count == 1 && reports.first?.0 == id && reports.first?.1 == harmed.faultError)
            #expect(context.object(with: otherID).faultError == nil)

            // Everything else goes on, also with the object itself.
            harmed.title = "new"
            all[1].title = "also new"
            try context.save()
            #expect(harmed.title == "new" && harmed[Exhibit.shape] == nil)
            context.delete(harmed)
            try context.save()
            #expect(try context.count(for: FetchRequest("Exhibit")) == 1)
        }
    }

    @Test func aCopyOfItWritesNothingOverIt() async throws {
        let (id, _) = try await harmed()
        let moved = large
        try await container.performBackgroundTask { context in
            let harmed = try context.existingObject(with: id)
            let snapshot = harmed.snapshot()
            guard case .blob(let hash, 200_000) = snapshot["photo"] else { throw Unexpected(snapshot["photo"]) }
            #expect(hash.count == 64)
            #expect(try harmed.value(forKey: "photo") == snapshot["photo"])
            #expect(try harmed.committedValues(forKeys: ["photo"])["photo"] == snapshot["photo"])
            try harmed.update(from: snapshot)
            #expect(!context.hasChanges)
            let encoded = try JSONEncoder().encode(snapshot)
            #expect(try JSONDecoder().decode(ObjectSnapshot.self, from: encoded) == snapshot)
            // Setting the bytes anew, on another object even, mends the file.
            try context.insert(Exhibit.self).photo = moved
            try context.save()
            context.refreshAllObjects()
            #expect(try harmed.value(forKey: "photo") == .binary([UInt8](moved)))
        }
    }

    @Test(arguments: Harm.allCases.filter { $0 != .folder })
    func settingTheBytesAnewMendsTheFile(_ harm: Harm) async throws {
        let (id, _) = try await harmed(harm)
        try await container.performBackgroundTask { context in
            let harmed = try context.existingObject(with: id, as: Exhibit.self)
            #expect(harmed.photo == nil)
            try context.insert(Exhibit.self).photo = large
            try context.save()
            context.refresh(harmed, mergeChanges: true)
            #expect(harmed.photo == large)
        }
    }

    @Test func anUnreadableBlobIsNotPromisedToOthers() async throws {
        let (id, _) = try await harmed()
        let hash = String(repeating: "ab", count: 32)
        try await container.save { context in
            let harmed = try context.existingObject(with: id)
            let copy = try context.insert(Exhibit.self)
            try copy.setValue(harmed.value(forKey: "photo"), forKey: "photo")
            let lost = try #require(throws: ContextError.self) { try context.save() }
            let text = "\(lost)"
            #expect(text.contains("'photo' of Exhibit \(copy.uniqueID)") && text.contains("-blobs/"))
            #expect(context.hasChanges)
            try copy.setValue(.blob(sha256: hash, size: 5), forKey: "photo")
            #expect(throws: ContextError.self) { try context.save() }
            try copy.setValue(.blob(sha256: "../../../etc/passwd", size: 5), forKey: "photo")
            #expect(throws: ContextError.self) { try context.save() }
            try copy.setValue(.null, forKey: "photo")
        }
        let request = BatchUpdateRequest("Exhibit", setting: ["raw": .property("photo")])
        let error = await #expect(throws: (any Error).self) { try await container.execute(request) }
        #expect("\(try #require(error))".contains("'raw' of Exhibit \(id.uniqueID)"))
        #expect(try container.fetchHistory().count == 2)
        let lines = try container.store.localLines()
        #expect(!lines.contains("\"blob\""))
    }

    @Test func mergesAndConflictsGoOnWithoutTheBytes() async throws {
        let (id, _) = try await harmed()
        let background = container.newBackgroundContext(mergePolicy: .error)
        try await background.perform { try $0.existingObject(with: id, as: Exhibit.self).title = "here" }
        try await store.change(id) { $0.title = "there" }
        let error = try await #require(throws: ConflictError.self) {
            try await background.perform { context in try context.save() }
        }
        let conflict = try #require(error.conflicts.first)
        #expect(conflict.changedInStore == ["title"])
        if case .blob = conflict.cached["photo"] {} else { Issue.record("\(conflict.cached["photo"])") }
        #expect(conflict.stored?["photo"] == conflict.cached["photo"])
        try await background.perform { context in
            context.mergePolicy = .objectTrump
            try context.save()
            #expect(try (context.existingObject(with: id) as? Exhibit)?.title == "here")
        }
    }

    @Test func aTransformerIsNotCalledAndTheThrowingFormThrows() async throws {
        let points = "{type: Transformable, optional: true, external: true}"
        let model = try Model(entities: "Drawing: {attributes: {points: \(points)}}")
        let drawings = try await PersistentContainer.open(folder, "drawings", model: model, classes: [Drawing.self])
        let many = (0..<40_000).map { $0 }
        let blobs = folder.path("drawings.sqlite-blobs")
        try await drawings.performBackgroundTask { context in
            try context.insert(Drawing.self)[Drawing.points] = many
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Drawing.self).first)
            #expect(read[Drawing.points] == many)
            #expect(try read.transformed(Drawing.points) == many)
            context.reset()
            try FileManager.default.removeItem(atPath: blobs)
            let lost = try #require(try context.fetch(Drawing.self).first)
            #expect(lost[Drawing.points] == nil)
            let error = try #require(throws: ContextError.self) { try lost.transformed(Drawing.points) }
            #expect("\(error)".contains("'points'"))
        }
        try await drawings.close()
    }

    @Test func draftsOfAnInterruptedWriterAreInNobodysWay() async throws {
        let (id, _) = try await harmed()
        let path = store.blobs
        let shelf = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
        for name in [".draft-aaaaaa", ".draft-bbbbbb"] {
            #expect(FileManager.default.createFile(atPath: "\(path)/\(shelf)/\(name)", contents: Data([1])))
        }
        try await container.performBackgroundTask { context in
            try context.insert(Exhibit.self).photo = large
            try context.save()
            #expect(try (context.existingObject(with: id) as? Exhibit)?.photo == large)
        }
    }
}

private final class Drawing: ManagedObject {
    override class var entityName: String { "Drawing" }
    static let points = TransformableField<[Int]>("points")
}
