import Foundation
import TestSupport
import Testing
import TributaryChanges
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

/// The sample models can be loaded, and show what tributary-model(5) is about.
@Suite struct SampleModelTests {
    @Test func theLongSampleHasEachMergeRuleAndUsesEachKeyOfTheManual() throws {
        let model = try Model(contentsOf: PackageFolder.path("etc/examples/workshop.yaml"))
        #expect(model.notices.isEmpty)
        let attributes = model.entities.flatMap(\.attributes)
        #expect(Set(attributes.map(\.mergeRule)) == [.latest, .max, .min, .counter])
        #expect(Set(attributes.map(\.type)).count >= 13)
        #expect(attributes.contains { $0.defaultValue != .null && $0.mergeRule == .latest })
        #expect(attributes.contains { $0.renamingIdentifier == "remark" })
        #expect(model.entity(named: "Repair")?.renamingIdentifier == "Service")
        #expect(model.entity(named: "Bay")?.uniquenessConstraints == [["hall", "number"]])
        let relationships = model.entities.flatMap(\.relationships)
        #expect(Set(relationships.map(\.deleteRule)).isSuperset(of: [.nullify, .cascade, .deny]))
        #expect(relationships.contains { $0.isToMany } && relationships.contains { !$0.isToMany && !$0.isOptional })
    }

    @Test func loads() throws {
        let model = try Model(contentsOf: PackageFolder.path("etc/tributary/model.yaml"))
        let employee = try #require(model.entity(named: "Employee"))
        #expect(employee.attributes.map(\.name) == ["name", "salary"])
        #expect(employee.relationships.map(\.destination) == ["Department"])
        #expect(model.entity(named: "Department")?.relationships.first?.isToMany == true)
    }
}
