import Foundation
import TestSupport
import Testing
import Tributary

/// Large binaries, composites and Swift values as attributes.
@Suite struct StorageExampleTests {
    private static let model = PackageFolder.path("Tests/ExampleTests/drawings.yaml")

    @Test func aDrawingComesBackAsItWas() async throws {
        let folder = try TemporaryFolder("drawings")
        let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let open = {
            try await PersistentContainer(
                name: "drawings",
                path: folder.path("store.sqlite"),
                model: try Model(contentsOf: Self.model),
                classes: [Drawing.self]
            )
        }
        let first = try await open()
        try await first.performBackgroundTask { context in
            let drawing = try context.insert(Drawing.self)
            drawing.title = "Bern"
            drawing.picture = picture
            drawing.place = Drawing.Place(room: "hall", wall: 2)
            drawing.tags = ["ink", "town"]
            try context.insert(Drawing.self).title = "empty"
            try context.save()
        }
        try await first.close()

        let again = try await open()
        try await again.performBackgroundTask { context in
            let hall = try ObjectPredicate(parsing: "place.room == 'hall'")
            let drawing = try #require(try context.fetch(Drawing.self, predicate: hall).first)
            #expect(drawing.title == "Bern" && drawing.picture == picture)
            #expect(drawing.place == Drawing.Place(room: "hall", wall: 2))
            #expect(drawing.tags == ["ink", "town"])
            let empty = try ObjectPredicate(parsing: "place == NULL")
            let other = try #require(try context.fetch(Drawing.self, predicate: empty).first)
            #expect(other.picture == nil && other.place == nil && other.tags.isEmpty)
        }
        try await again.close()
    }

    @Test func theArticlePrintsTheModelThatIsTested() throws {
        let text = try String(contentsOfFile: Self.model, encoding: .utf8)
        #expect(try Article("Storage").text.contains("```yaml\n\(text)```"))
    }
}
