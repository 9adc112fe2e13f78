import TestSupport
import Testing
import Tributary

/// What needs no store is checked before a store is opened: an opening that fails must not migrate it first.
struct OpeningCheckTests {
    final class Note: ManagedObject {
        override class var entityName: String { "Note" }
        static let text = Field<String?>("text")
        static let size = Field<Int>("text")
        override class var declaredFields: [any DeclaredField] { [text, size] }
    }

    final class Stranger: ManagedObject {
        override class var entityName: String { "Stranger" }
    }

    final class Sketch: ManagedObject {
        override class var entityName: String { "Note" }
        static let text = Field<String?>("text")
        static let shape = TransformableField<[Int]>(registered: "shape")
        override class var declaredFields: [any DeclaredField] { [text, shape] }
    }

    private func model(_ version: String, _ attributes: String) throws -> Model {
        try Model(yaml: "version: \"\(version)\"\nentities: {Note: {attributes: {text: String?, \(attributes)}}}")
    }

    @Test(arguments: [
        ("loud: {type: String, optional: true, derived: 'uppercase:(nowhere)'}", [] as [ManagedObject.Type]),
        ("extra: String?", [Note.self]), ("extra: String?", [Stranger.self]),
        ("shape: {type: Transformable, optional: true, class: Shape, transformer: ShapeTransformer}", [Sketch.self]),
    ])
    func nothingIsMigratedBeforeTheCheck(_ attributes: String, _ classes: [ManagedObject.Type]) async throws {
        let folder = try TemporaryFolder("opening")
        let path = folder.path("store.sqlite")
        let old = try model("1", "old: String?")
        let container = try await PersistentContainer(name: "x", path: path, model: old)
        try await container.save { _ = try $0.insert("Note", ["text": .string("a"), "old": .string("kept")]) }
        try await container.close()
        let new = try model("2", attributes)
        await #expect(throws: ContextError.self) {
            try await PersistentContainer(name: "x", path: path, model: new, classes: classes)
        }
        let again = try await PersistentContainer(name: "x", path: path, model: old)
        try await again.performBackgroundTask { context in
            let kept = try context.fetch(FetchRequest("Note")).map { try $0.value(forKey: "old") }
            #expect(kept == [.string("kept")])
        }
        try await again.close()
    }
}
