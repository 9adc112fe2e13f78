import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TributaryModel
import TributaryStore

/// Versions of a public project's model, kept beside the package.
@Suite struct MigrationPublishedTests {
    private func model(_ name: String, version: String) throws -> Model {
        let folder = try #require(PublishedModels.folder)
        return try Model(xml: String(contentsOfFile: "\(folder)/\(name).xml", encoding: .utf8), version: version)
    }

    private func changes(_ old: Model, _ new: Model) -> [String] {
        let inference = MigrationInference(from: old, to: new)
        return inference.changes.map(\.description) + inference.refusals.map { "refused: \($0)" }
    }

    @Test(
        .enabled(if: PublishedModels.folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS"),
        arguments: 0..<3
    )
    func `a store of each version opens with the newest`(version: Int) throws {
        var models: [Model] = []
        for number in 1...3 {
            let model = try model("alemar11-CoreDataPlus-SampleModel-v\(number)", version: "\(number)")
            models.append(model.succeeding(models))
        }
        let replica = try Replica(models[version])
        try replica.reopen(models[2])
        let fresh = try Replica(models[2])
        #expect(try replica.digest() == fresh.digest())
        let schema = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
        #expect(try PlainSQL(path: replica.path).rows(schema) == PlainSQL(path: fresh.path).rows(schema))
    }

    @Test(
        .enabled(
            if: PublishedModels.folder != nil,
            "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS with an INDEX.tsv"
        )
    )
    func versionsOfOneModelArePlannedOrRefusedByName() throws {
        let samples = try (1...3).map { try model("alemar11-CoreDataPlus-SampleModel-v\($0)", version: "\($0)") }
        #expect(
            changes(samples[0], samples[1]) == [
                "remove Car.color", "change the fetch indexes of Car",
                "rename the entity LuxuryCar (from 'ExpensiveSportCar' to 'LuxuryCar')",
                "change the fetch indexes of LuxuryCar", "remove Person.id", "change the fetch indexes of SportCar",
            ]
        )
        #expect(
            changes(samples[1], samples[2]) == [
                "add Car.createdBy", "add Car.previousOwners", "remove Car.maker", "change the fetch indexes of Car",
                "change the fetch indexes of LuxuryCar", "add the entity Maker", "add Person.previousCars",
                "change the fetch indexes of SportCar",
            ]
        )
        let swiftgen = try (1...2).map { try model("SwiftGen-SwiftGen-SwiftGen-Model\($0)", version: "\($0)") }
        let refusals = changes(swiftgen[0], swiftgen[1]).filter { $0.hasPrefix("refused") }
        let reason = """
            from optional to mandatory: objects may lack a value, and the property has no default to fill in; \
            give a default, leave it optional, or write a custom stage
            """
        #expect(refusals == ["refused: MainEntity.boolean, \(reason)", "refused: MainEntity.string, \(reason)"])
        #expect(changes(swiftgen[0], swiftgen[1]).count == 31)
        for model in samples + swiftgen {
            #expect(try Model(archive: model.archive).versionHash == model.versionHash)
        }
    }
}
