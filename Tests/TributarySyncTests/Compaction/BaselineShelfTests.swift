import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Baselines count by what is in their files, each of which is read once.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct BaselineShelfTests {
    /// Two replicas of which the first has cut a baseline.
    private func cut() async throws -> (CompactingReplicas, BaselineName) {
        let group = try CompactingReplicas()
        for number in 1...2 as ClosedRange<UInt64> {
            try await group.add()
            try group.replicas[Int(number) - 1].save([SyncModel.insert(number)])
        }
        try await group.exchange()
        try await group.acknowledge()
        guard case .cut(let name, _) = try await group.compact(group.replicas[0]).cut else {
            Issue.record("not cut")
            throw CancellationError()
        }
        return (group, name)
    }

    private func text(_ name: BaselineName, in group: CompactingReplicas) throws -> String {
        try String(contentsOfFile: "\(group.logs.path)/\(name.path)", encoding: .utf8)
    }

    /// A file whose first lines and end line are those of a baseline, and whose other lines are not.
    private func forge(_ name: BaselineName, of replica: SyncReplica, in group: CompactingReplicas) throws
        -> BaselineName
    {
        let text = try text(name, in: group)
        try #require(text.contains("Ann"))
        let forged = BaselineName(writer: replica.own, sequence: try group.replicas[0].position(replica.own))
        try group.logs.put(Array(text.replacing("Ann", with: "Eve").utf8), at: forged.path)
        return forged
    }

    @Test func equalEndLinesVerifyNothing() async throws {
        let (group, name) = try await cut()
        let before = group.files(".tlog")
        let forged = try forge(name, of: group.replicas[1], in: group)
        for replica in group.replicas {
            let report = try await group.compact(replica)
            #expect(!report.baselines.contains { $0.isVerified }, "\(report.baselines)")
            let detail = report.baselines.first { $0.name == forged }?.detail
            #expect(detail?.contains("hash of the bytes") == true, "\(report.baselines)")
            let problem = replica.service.status.problems.first { $0.code == .baselineRefused }
            #expect(problem?.detail.contains(forged.path) == true, "\(replica.service.status.problems)")
        }
        #expect(before.isSubset(of: group.files(".tlog")))
        let third = try await group.add()
        try await group.exchange()
        #expect(try third.store.read { try $0.writers.segment(writer: name.writer, beginningBy: .max) } != nil)
        #expect(try group.digests().count == 1)

        // The remedy of the hint: its writer makes another one.
        try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(forged.path)")
        try await group.compactAll()
        #expect(group.replicas[1].service.state.read(\.shelf).verified.count >= 2)
        #expect(!group.replicas[1].service.status.problems.contains { $0.code == .baselineRefused })
        try await group.stop()
    }

    /// The steps of the import count what it reads; a file that has not changed is not read again.
    @Test func aFileIsReadOnce() async throws {
        let (group, name) = try await cut()
        let logs = try LogFolder(path: group.logs.path)
        let broken = BaselineName(writer: group.replicas[1].own, sequence: 1)
        try group.logs.put(Array(try text(name, in: group).utf8.dropLast(20)), at: broken.path)
        let names = [name, broken].sorted()
        let control = ImportControl()
        let shelf = BaselineShelf().reading(names, in: logs, control)
        #expect(shelf.baselines.keys.sorted() == [name] && shelf.refused[broken]?.isIncomplete == true)
        let steps = control.progress
        #expect(steps > 0 && shelf.isCurrent(names, in: logs))
        #expect(shelf.reading(names, in: logs, control) == shelf && control.progress == steps)

        // A refused file that was brought anew is read again, and so is a known one.
        let sequence = try group.replicas[0].position(broken.writer)
        try group.logs.put(Array(try text(name, in: group).utf8), at: broken.path)
        #expect(!shelf.isCurrent(names, in: logs))
        let again = shelf.reading(names, in: logs, control)
        #expect(control.progress > steps)
        #expect(again.refused[broken]?.isIncomplete == (sequence == broken.sequence ? nil : false))
        try await group.stop()
    }

    /// The store keeps which files were read as a whole: a start believes that of the same files alone.
    @Test func aStartReadsNoWholeFileAgain() async throws {
        let (group, name) = try await cut()
        for replica in group.replicas { try await group.compact(replica) }
        let (first, logs) = (group.replicas[0], try LogFolder(path: group.logs.path))
        // It has not read the baseline of the second one yet.
        try await first.service.importAll()
        let proofs = try first.store.read { try BaselineProofs.load($0) }
        #expect(proofs.count == 2 && proofs.values.allSatisfy { BaselineProof($0.text) == $0 })
        #expect(BaselineProof("1 2 3") == nil && BaselineProof("") == nil)
        let listing = try LogListing(path: group.logs.path).baselines
        let shelf = BaselineShelf(proofs: proofs).reading(listing, in: logs)
        #expect(shelf.verified.count == 2 && shelf.unread == nil)
        try await first.stop()
        group.replicas[0] = try await SyncReplica(group.logs.path, wall: group.wall, folder: first.folder)
        try await group.replicas[0].service.importAll()
        let again = group.replicas[0].service.state.read(\.shelf)
        #expect(again.verified.count == 2 && again.proofs == proofs)

        // Other bytes of the same size, in the same file: the end line is the one of the proof.
        let path = "\(group.logs.path)/\(name.path)"
        try text(name, in: group).replacing("Ann", with: "Eve").write(toFile: path, atomically: false, encoding: .utf8)
        let changed = BaselineShelf(proofs: proofs).reading(listing, in: logs)
        #expect(changed.verified.isEmpty && changed.unread != nil)
        #expect(try changed.provingAll(in: logs).verified.isEmpty)
        try await group.replicas[0].service.importAll()
        #expect(try group.replicas[0].store.read { try BaselineProofs.load($0) }[name] == nil)
        try await group.stop()
    }

    @Test func proofsAreOfFiles() async throws {
        let (group, name) = try await cut()
        try await group.compact(group.replicas[1])
        let logs = try LogFolder(path: group.logs.path)
        let listing = try LogListing(path: group.logs.path).baselines
        let shelf = BaselineShelf().reading(listing, in: logs)
        #expect(shelf.verified.isEmpty && shelf.unread != nil)
        let proved = try shelf.provingAll(in: logs)
        #expect(proved.verified.count == 2 && proved.unread == nil)
        #expect(shelf.learning(from: proved) == proved)
        let path = "\(group.logs.path)/\(name.path)"
        let changed = try text(name, in: group).replacing("Ann", with: "Eve")
        try changed.write(toFile: path, atomically: false, encoding: .utf8)
        let other = shelf.reading(listing, in: logs).learning(from: proved)
        #expect(other.verified.isEmpty, "the proof of another file")
        #expect(proved.proving(try #require(proved.baselines[name]), in: logs).verified.isEmpty)
        try await group.stop()
    }
}
