import Foundation
import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// Versions of a public project's model, kept beside the package.
@Suite struct MigrationPublishedTests {
    private static let folder: String? = {
        let root = URL(fileURLWithPath: PackageFolder.path)
        let places: [String?] = [
            ProcessInfo.processInfo.environment["TRIBUTARY_PUBLISHED_MODELS"],
            root.deletingLastPathComponent().appendingPathComponent("shared/models").path,
        ]
        return places.compactMap { $0 }.first { FileManager.default.fileExists(atPath: "\($0)/INDEX.tsv") }
    }()

    @Test(.enabled(if: folder != nil, "needs ../shared/models or TRIBUTARY_PUBLISHED_MODELS"), arguments: 0..<3)
    func `a store of each version opens with the newest`(version: Int) throws {
        let folder = try #require(Self.folder)
        var models: [Model] = []
        for number in 1...3 {
            let path = "\(folder)/alemar11-CoreDataPlus-SampleModel-v\(number).xml"
            let model = try Model(xml: String(contentsOfFile: path, encoding: .utf8), version: "\(number)")
            models.append(model.succeeding(models))
        }
        let replica = try Replica(models[version])
        try replica.reopen(models[2])
        let fresh = try Replica(models[2])
        #expect(try replica.digest() == fresh.digest())
        let schema = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
        #expect(try PlainSQL(path: replica.path).rows(schema) == PlainSQL(path: fresh.path).rows(schema))
    }
}
