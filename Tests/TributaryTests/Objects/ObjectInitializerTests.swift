import TestSupport
import Testing

@testable import Tributary

/// A class whose initializer uses its properties: objects are inserted all the same.
@MainActor
@Suite struct ObjectInitializerTests {
    final class ReadingNote: ManagedObject {
        override class var entityName: String { "Note" }
        static let title = Field<String?>("title")
        private(set) var firstTitle: String?

        required init(_ origin: ObjectOrigin) {
            super.init(origin)
            firstTitle = self[ReadingNote.title]
        }
    }

    final class WritingNote: ManagedObject {
        override class var entityName: String { "Note" }
        static let title = Field<String?>("title")

        required init(_ origin: ObjectOrigin) {
            super.init(origin)
            self[WritingNote.title] = "untitled"
        }
    }

    private static func container(_ type: ManagedObject.Type) async throws -> PersistentContainer {
        let model = try Model(entities: "Note: {attributes: {title: String?}}")
        return try await PersistentContainer(name: "notes", model: model, classes: [type], store: .memory)
    }

    @Test func `an object whose initializer reads is inserted and saved`() async throws {
        let container = try await Self.container(ReadingNote.self)
        let view = container.viewContext
        let note = try view.insert(ReadingNote.self)
        #expect(note.state == .inserted && view.insertedObjects == [note])
        note[ReadingNote.title] = "a"
        try view.save()
        #expect(try view.fetch(ReadingNote.self).map { $0[ReadingNote.title] } == ["a"])
        try await container.close()
    }

    @Test func `an object whose initializer writes is inserted and saved`() async throws {
        let container = try await Self.container(WritingNote.self)
        let view = container.viewContext
        let note = try view.insert(WritingNote.self)
        #expect(note.state == .inserted && view.insertedObjects == [note])
        try view.save()
        #expect(try view.fetch(WritingNote.self).count == 1)
        try await container.close()
    }
}
