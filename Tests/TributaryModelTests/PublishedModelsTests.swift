import Foundation
import Testing
import TributaryModel

/// Models of public projects, kept beside the package; their licences keep them out of it.
@Suite("Published models")
struct PublishedModelsTests {
    static let folder: String? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let places: [String?] = [
            ProcessInfo.processInfo.environment["TRIBUTARY_PUBLISHED_MODELS"],
            root.deletingLastPathComponent().appendingPathComponent("shared/models").path,
        ]
        return places.compactMap { $0 }.first { FileManager.default.fileExists(atPath: "\($0)/INDEX.tsv") }
    }()

    @Test(.enabled(if: folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS with an INDEX.tsv"))
    func eachLoadsWithTheCountsOfTheIndex() throws {
        let folder = try #require(PublishedModelsTests.folder)
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
