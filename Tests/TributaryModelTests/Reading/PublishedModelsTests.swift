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

/// The installed sample model can be loaded.
@Suite struct SampleModelTests {
    @Test func loads() throws {
        let model = try Model(contentsOf: PackageFolder.path("etc/tributary/model.yaml"))
        let employee = try #require(model.entity(named: "Employee"))
        #expect(employee.attributes.map(\.name) == ["name", "salary"])
        #expect(employee.relationships.map(\.destination) == ["Department"])
        #expect(model.entity(named: "Department")?.relationships.first?.isToMany == true)
    }
}
