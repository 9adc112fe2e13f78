import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A migration counts its losses also when custom stages cover a part of it.
@Suite struct StagedLossTests {
    private static let versions = [
        "  A: {attributes: {x: String?, early: String?, late: String?}}\n  B: {attributes: {y: String?}}",
        "  A: {attributes: {x: String?, late: String?}}\n  B: {attributes: {y: String?}}",
        "  A: {attributes: {x: String?}}",
    ]

    /// The losses in the first and the last report, with a stage between the two versions.
    private func losses(stage from: String?, _ to: String?) throws -> [String] {
        let story = try MigrationStory(Self.versions[0], Self.versions[1], Self.versions[2])
        try story.apply((1...5).map { .insert("A", $0, ["early": "e", "late": "l"]) } + [.insert("B", 9)])
        let reports = Mutex<[MigrationProgress]>([])
        var settings = MigrationSettings()
        settings.report = { report in reports.withLock { $0.append(report) } }
        if let from, let to {
            settings.stages = [CustomMigrationStage(from: from, to: to, willMigrate: { _ in }, didMigrate: { _ in })]
        }
        try story.migrated.reopen(story.new, migration: settings)
        try story.expectOneState()
        let told = reports.withLock(\.self)
        #expect(told.first?.losses == told.last?.losses)
        return try #require(told.first).losses.map(\.description)
    }

    @Test func `losses outside the stage are counted`() throws {
        let (early, late) = (
            "A.early: 5 values (the property is removed)", "A.late: 5 values (the property is removed)"
        )
        let entity = "B: 1 object (the entity is removed)"
        #expect(try losses(stage: nil, nil) == [early, late, entity])
        #expect(try losses(stage: "2", "3") == [early])
        #expect(try losses(stage: "1", "2") == [late, entity])
        #expect(try losses(stage: "1", "3") == [])
        // A stage outside the path covers nothing.
        #expect(try losses(stage: "7", "8") == [early, late, entity])
    }

    @Test func `under the same name of the version it is refused, whatever stages there are`() throws {
        let text = { (attributes: String) in "version: \"1\"\nentities:\n  A: {attributes: {\(attributes)}}" }
        let old = try Model(yaml: text("x: String?, gone: String?"))
        let replica = try Replica(old)
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("A", 1, ["gone": "g"])))
        var settings = MigrationSettings()
        settings.allowsLoss = false
        settings.stages = [CustomMigrationStage(from: "7", to: "8", willMigrate: { _ in }, didMigrate: { _ in })]
        let new = try Model(yaml: text("x: String?")).succeeding([old])
        #expect(throws: MigrationError.self) { try replica.reopen(new, migration: settings) }
        try replica.reopen(old)
        #expect(try PlainSQL(path: replica.path).value("SELECT gone FROM A") == "g")
    }
}
