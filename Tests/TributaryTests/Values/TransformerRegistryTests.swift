import TestSupport
import Testing
import Tributary
import TributaryStore

struct TransformerRegistryTests {
    /// A class of the entity `Exhibit` with keys that do not fit.
    final class OddExhibit: ManagedObject {
        override class var entityName: String { "Exhibit" }
        static let shape = TransformableField<String>(registered: "shape")
        static let json = TransformableField<[Int]>("shape")
        static let unnamed = TransformableField<Int>(registered: "title")
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("transformers") }

    private func open(
        classes: [ManagedObject.Type],
        _ transformers: TransformerRegistry,
        transformer: String = "ShapeTransformer"
    ) async throws -> PersistentContainer {
        let shape = "{type: Transformable, optional: true, transformer: '\(transformer)'}"
        return try await PersistentContainer.open(
            at: folder.path("store.sqlite"),
            "shapes",
            model: Model(entities: "Exhibit: {attributes: {shape: \(shape)}}"),
            classes: classes,
            transformers: transformers
        )
    }

    @Test func valuesGoThroughTheTransformerThatTheModelNames() async throws {
        let container = try await open(classes: [Exhibit.self], ["ShapeTransformer": ShapeTransformer()])
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(Exhibit.self)
            exhibit[Exhibit.shape] = Shape(corners: 3)
            #expect(try exhibit.value(forKey: "shape") == .binary([3]))
            try context.save()
            context.reset()
            let read = try #require(try context.fetch(Exhibit.self).first)
            #expect(read[Exhibit.shape] == Shape(corners: 3))
            #expect(try read.transformed(Exhibit.shape) == Shape(corners: 3))
            try read.setTransformed(nil, for: Exhibit.shape)
            #expect(read[Exhibit.shape] == nil)
        }
    }

    @Test func aMissingTransformerIsNamedWhenTheContainerOpens() async throws {
        let error = await #expect(throws: ContextError.self) {
            try await open(classes: [Exhibit.self], ["Other": ShapeTransformer()])
        }
        #expect(error == .missingTransformer(entity: "Exhibit", attribute: "shape", transformer: "ShapeTransformer"))
        let text = "\(try #require(error))"
        #expect(text.contains("Exhibit.shape") && text.contains("'ShapeTransformer'") && text.contains("transformers:"))
    }

    @Test func withoutAClassTheBytesAreOpaque() async throws {
        let container = try await open(classes: [], [:])
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert("Exhibit", ["shape": .binary([1, 2, 3])])
            try context.save()
            #expect(try exhibit.value(forKey: "shape") == .binary([1, 2, 3]))
        }
    }

    @Test(arguments: TransformerRegistry.builtInNames.sorted())
    func theSystemsOwnTransformersAreOpaqueBytes(_ name: String) async throws {
        let container = try await open(classes: [OddExhibit.self], [:], transformer: name)
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(OddExhibit.self)
            exhibit[OddExhibit.json] = [1, 2]
            #expect(try exhibit.value(forKey: "shape") == .binary(Array("[1,2]".utf8)))
        }
    }

    @Test func aTransformerForOtherValuesIsRefused() async throws {
        let container = try await open(classes: [OddExhibit.self], ["ShapeTransformer": ShapeTransformer()])
        try await container.performBackgroundTask { context in
            let exhibit = try context.insert(OddExhibit.self)
            exhibit[OddExhibit.shape] = "x"
            #expect(exhibit[OddExhibit.shape] == nil)
            let error = try #require(throws: ContextError.self) {
                try exhibit.setTransformed("x", for: OddExhibit.shape)
            }
            #expect("\(error)".contains("a transformer of String, not ShapeTransformer"))
            #expect(throws: ContextError.self) { try exhibit.setTransformed(3, for: OddExhibit.unnamed) }
            // The transformer that the model names is used before JSON.
            #expect(throws: ContextError.self) { try exhibit.setTransformed([1], for: OddExhibit.json) }
        }
    }
}
