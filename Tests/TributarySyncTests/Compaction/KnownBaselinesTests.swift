import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Baselines count by what is in their files, each of which is read once.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct KnownBaselinesTests {
    /// Two replicas of which the first has cut a baseline.
    private func cut() async throws -> (CompactingReplicas, BaselineName) {
        let group = try await CompactingReplicas.filled(2)
        return (group, try #require(try await group.compact(group.replicas[0]).cut))
    }

    private func text(_ name: BaselineName, in group: CompactingReplicas) throws -> String {
        try String(contentsOfFile: "\(group.logs.path)/\(name.path)", encoding: .utf8)
    }

    /// Changes a value in a baseline, with the end line that was there before.
    private func forge(_ name: BaselineName, in group: CompactingReplicas) throws {
        let text = try text(name, in: group)
        try #require(text.contains("Ann"))
        try group.logs.put(Array(text.replacing("Ann", with: "Eve").utf8), at: name.path)
    }

    /// An endorsement is one of the bytes of which the end line has the hash.
    @Test func anEndorsementVerifiesNoOtherBytes() async throws {
        let (group, name) = try await cut()
        let whole = try text(name, in: group)
        try await group.compact(group.replicas[1])
        #expect(group.files(".comparison").count == 1)
        try forge(name, in: group)
        try await group.acknowledge()
        let before = group.files(".tlog")
        let report = try await group.compact(group.replicas[0])
        #expect(!report.baselines.contains { $0.file == name.path && $0.verified }, "\(report.baselines)")
        let detail = report.baselines.first { $0.file == name.path }?.detail
        #expect(detail?.contains("hash of the bytes") == true, "\(report.baselines)")
        let problem = group.replicas[0].service.status.problems.first { $0.code == .baselineRefused }
        #expect(problem?.detail.contains(name.path) == true, "\(group.replicas[0].service.status.problems)")
        #expect(before.isSubset(of: group.files(".tlog")))
        // Another one counts in its place.
        try await group.compactAll()
        try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)

        // The remedy of the hint: it is copied again.
        try group.logs.put(Array(whole.utf8), at: name.path)
        try await group.compactAll()
        #expect(!group.replicas[1].service.state.read(\.knownBaselines).verified.isEmpty)
        #expect(!group.replicas[1].service.status.problems.contains { $0.code == .baselineRefused })
    }

    /// What cannot be read as a comparison says nothing, whatever is in it.
    @Test(arguments: [
        "", "{}\n", "null\n", "{\"tributary\":1}", String(repeating: "x", count: 20_000),
        #"{"tributary":1,"comparison":2,"baseline":"NAME","sha256":"HASH","difference":null}\#n"#,
        #"{"tributary":1,"comparison":1,"baseline":"NAME","sha256":"HASH","difference":7}\#n"#,
        #"{"tributary":1,"comparison":1,"baseline":"other","sha256":"HASH","difference":null}\#n"#,
        #"{"tributary":1,"comparison":1,"baseline":"NAME","sha256":"12","difference":null}\#n"#,
        #"{"tributary":1,"comparison":1,"baseline":"NAME","sha256":"HASH","difference":null}"#,
    ])
    func aBrokenComparisonSaysNothing(text: String) async throws {
        let (group, name) = try await cut()
        try await group.replicas[0].service.importAll()
        let hash = try #require(group.replicas[0].service.state.read(\.knownBaselines).baselines[name]?.sha256)
        let found = BaselineComparison.Name(writer: group.replicas[1].own, of: name)
        let broken = text.replacing("NAME", with: name.path).replacing("HASH", with: hash)
        try group.logs.put(Array(broken.utf8), at: found.path)
        try await group.replicas[0].service.importAll()
        let knownBaselines = group.replicas[0].service.state.read(\.knownBaselines)
        #expect(knownBaselines.verified.isEmpty && knownBaselines.objections.isEmpty)
        // The writer's store publishes its own one in its place.
        try await group.compact(group.replicas[1])
        try await group.replicas[0].service.importAll()
        #expect(group.replicas[0].service.state.read(\.knownBaselines).verified.map(\.name) == [name])
    }

    /// The steps of the import count what it reads; a file that has not changed is not read again.
    @Test func aFileIsReadOnce() async throws {
        let (group, name) = try await cut()
        let logs = try LogFolder(path: group.logs.path)
        let broken = BaselineName(writer: group.replicas[1].own, sequence: 1)
        try group.logs.put(Array(try text(name, in: group).utf8.dropLast(20)), at: broken.path)
        let files = BaselineFiles(baselines: [name, broken].sorted())
        let control = ImportControl()
        let knownBaselines = KnownBaselines().reading(files, in: logs, control)
        #expect(
            knownBaselines.baselines.keys.sorted() == [name] && knownBaselines.refused[broken]?.isIncomplete == true
        )
        let steps = control.progress
        #expect(steps > 0 && knownBaselines.isCurrent(files, in: logs))
        #expect(knownBaselines.reading(files, in: logs, control) == knownBaselines && control.progress == steps)

        // A refused file that was brought anew is read again, and so is a known one.
        let sequence = try group.replicas[0].position(broken.writer)
        try group.logs.put(Array(try text(name, in: group).utf8), at: broken.path)
        #expect(!knownBaselines.isCurrent(files, in: logs))
        let again = knownBaselines.reading(files, in: logs, control)
        #expect(control.progress > steps)
        #expect(again.refused[broken]?.isIncomplete == (sequence == broken.sequence ? nil : false))
    }
}
