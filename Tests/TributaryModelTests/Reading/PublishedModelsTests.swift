import Foundation
import TestSupport
import Testing
import TributaryModel

/// Models of public projects, stored outside the package because of their licences.
@Suite("Published models")
struct PublishedModelsTests {
    @Test(
        .enabled(
            if: PublishedModels.folder != nil,
            "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS with an INDEX.tsv"
        )
    )
    func eachLoadsWithTheCountsOfTheIndex() throws {
        let folder = try #require(PublishedModels.folder)
        let index = try String(contentsOfFile: "\(folder)/INDEX.tsv", encoding: .utf8)
        let rows = index.split(separator: "\n").dropFirst()
        #expect(!rows.isEmpty)
        for row in rows {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let xml = try String(contentsOfFile: "\(folder)/\(cells[0])", encoding: .utf8)
            let model = try Model(xml: xml, file: cells[0])
            let counts = [
                model.entities.count, model.entities.map(\.attributes.count).reduce(0, +),
                model.entities.map(\.relationships.count).reduce(0, +),
            ]
            #expect(counts == cells[5...7].compactMap { Int($0) }, "\(cells[0])")
            #expect(!model.notices.contains { $0.contains("not known") }, "\(model.notices)")
            #expect(model.versionHash.count == 64)
        }
    }
}

extension PublishedModelsTests {
    private func model(_ name: String, version: String) throws -> Model {
        let folder = try #require(PublishedModels.folder)
        return try Model(xml: String(contentsOfFile: "\(folder)/\(name).xml", encoding: .utf8), version: version)
    }

    private func changes(_ old: Model, _ new: Model) -> [String] {
        let inference = MigrationInference(from: old, to: new)
        return inference.changes.map(\.description) + inference.refusals.map { "refused: \($0)" }
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
                "remove Car.color",
                "change the fetch indexes of Car",
                "rename the entity LuxuryCar (from 'ExpensiveSportCar' to 'LuxuryCar')",
                "change the fetch indexes of LuxuryCar",
                "remove Person.id",
                "change the fetch indexes of SportCar",
            ]
        )
        #expect(
            changes(samples[1], samples[2]) == [
                "add Car.createdBy",
                "add Car.previousOwners",
                "remove Car.maker",
                "change the fetch indexes of Car",
                "change the fetch indexes of LuxuryCar",
                "add the entity Maker",
                "add Person.previousCars",
                "change the fetch indexes of SportCar",
            ]
        )
        let swiftgen = try (1...2).map { try model("SwiftGen-SwiftGen-SwiftGen-Model\($0)", version: "\($0)") }
        let refusals = changes(swiftgen[0], swiftgen[1]).filter { $0.hasPrefix("refused") }
        let reason = """
            from optional to mandatory: there may be objects without a value, and there is no default to fill in; \
            give a default, leave it optional, or write a custom stage
            """
        #expect(refusals == ["refused: MainEntity.boolean, \(reason)", "refused: MainEntity.string, \(reason)"])
        #expect(changes(swiftgen[0], swiftgen[1]).count == 31)
        for model in samples + swiftgen {
            #expect(try Model(archive: model.archive).versionHash == model.versionHash)
        }
    }
}
