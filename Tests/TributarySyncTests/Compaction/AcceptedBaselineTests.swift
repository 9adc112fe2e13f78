import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Transactions that only one store has reach the others by a baseline that an administrator accepts.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct AcceptedBaselineTests {
    /// Stops a store, and returns its folder.
    private func stop(_ index: Int, of group: CompactingReplicas) async throws -> TemporaryFolder {
        let replica = group.replicas.remove(at: index)
        try await replica.stop()
        return replica.folder
    }

    /// Lets a store publish changes, and loses their segments before anybody else reads them.
    private func lose(_ changes: [Change], of replica: SyncReplica, _ group: CompactingReplicas) async throws {
        try await replica.service.exportNow()
        let before = group.files(".tlog")
        try replica.save(changes)
        try await replica.service.exportNow()
        let lost = group.files(".tlog").subtracting(before)
        #expect(!lost.isEmpty)
        for file in lost { try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(file)") }
    }

    /// The baseline in the first hint that has the command; the hint does not give up the transactions.
    private func offered(to replica: SyncReplica, _ code: Problem.Code) throws -> BaselineName {
        let problem = try #require(replica.service.status.problems.first { $0.code == code })
        let hint = try #require(problem.hint)
        #expect(!hint.contains("abandon"), "\(hint)")
        let path = try #require(hint.firstMatch(of: #/tributaryctl baseline accept (\S+)$/#)).1.split(separator: "/")
        let sequence = try #require(UInt64(path[1].prefix(16), radix: 16))
        let name = BaselineName(writer: try #require(UniqueID(String(path[0]))), sequence: sequence)
        #expect(name.path == path.joined(separator: "/"))
        return name
    }

    @discardableResult
    private func accept(
        _ name: BaselineName,
        _ replica: SyncReplica,
        isUnproven: Bool = false
    ) async throws -> CompactionReport.Step {
        try await Compactor(sync: replica.service).accept(name, isUnproven: isUnproven)
    }

    private func endorsements(_ replica: SyncReplica, _ group: CompactingReplicas) -> Set<String> {
        group.files(".comparison").filter { $0.hasPrefix("\(replica.own)/") }
    }

    /// The whole story: one store alone has applied data, the others are stuck, and the hint of the status helps.
    @Test func whatOneStoreHasReachesTheOthers() async throws {
        let group = try await CompactingReplicas.filled(3)
        let first = group.replicas[0]
        let folders = [try await stop(2, of: group), try await stop(1, of: group)]
        try await lose([SyncModel.insert(7), SyncModel.update(1, "name", .string("Bea"))], of: first, group)
        try first.save([SyncModel.update(7, "salary", .double(5))])
        try await first.service.exportNow()
        let cut = try #require(try await group.compact(first).cut)
        for folder in folders { try await group.add(in: folder) }
        let (second, third) = (group.replicas[1], group.replicas[2])
        // The others have gone on, too.
        try second.save([SyncModel.update(2, "salary", .double(6))])
        try await group.exchange()
        #expect(try group.digests().count > 1)
        let behind = "It has transactions that this store has not applied yet."
        for replica in [second, third] {
            #expect(try await group.compact(replica, .dryRun).verification == .waits(behind, for: cut))
            #expect(try offered(to: replica, .segmentsWaiting) == cut)
            #expect(try offered(to: replica, .baselineWaits) == cut)
        }
        let waiting = try #require(try await second.service.segments(in: [.waiting]).first)
        let explained = try await second.service.explanation(of: waiting.id)
        #expect(explained?.hint?.contains("baseline accept \(cut.path)") == true, "\(explained?.hint ?? "")")

        #expect(try await accept(cut, second) == .verified(cut))
        for _ in 0..<3 { try await group.exchange() }
        #expect(try group.digests().count == 1)
        for replica in group.replicas {
            #expect(try replica.employees(1...9) == [1, 2, 3, 7])
            #expect(replica.service.status.problems.isEmpty, "\(replica.service.status.problems)")
        }
        // The same decision once more changes nothing, on any machine.
        let again = try await accept(cut, third)
        #expect(again.result == .exists && again.file == cut.path)
        #expect(endorsements(third, group).isEmpty)
        // Compaction goes on by the rules.
        let before = group.files(".tlog")
        try await group.acknowledge()
        try await group.compactAndPrune()
        #expect(group.files(".tlog").isDisjoint(with: before))
        try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
    }

    /// A store that has published nothing has no folder of its own yet.
    @Test func aNewMachineAcceptsABaseline() async throws {
        let group = try await CompactingReplicas.filled(2)
        let folder = try await stop(1, of: group)
        try await lose([SyncModel.insert(7)], of: group.replicas[0], group)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let newcomer = try await group.add()
        try await group.exchange()
        #expect(!group.files(".tlog").contains { $0.hasPrefix("\(newcomer.own)/") })
        #expect(try await accept(cut, newcomer) == .verified(cut))
        #expect(endorsements(newcomer, group).count == 1)
        try await group.add(in: folder)
        for _ in 0..<3 { try await group.exchange() }
        #expect(try group.digests().count == 1)
    }

    /// No segment waits for the lost ones: the baseline alone shows that something is missing, after its grace.
    @Test func aSilentLossIsAProblem() async throws {
        let group = try await CompactingReplicas.filled(2)
        let folder = try await stop(1, of: group)
        try await lose([SyncModel.insert(7)], of: group.replicas[0], group)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let second = try await group.add(in: folder)
        try await second.service.importAll()
        let early = second.service.state.read { $0.baselineProblems(wall: group.wall.now) }
        #expect(early.isEmpty, "\(early)")
        try await group.exchange()
        #expect(try offered(to: second, .baselineWaits) == cut)
        try await accept(cut, second)
        for _ in 0..<3 { try await group.exchange() }
        #expect(try group.digests().count == 1)
        #expect(second.service.status.problems.isEmpty, "\(second.service.status.problems)")
    }

    /// Each of two stores has what the other one lacks.
    @Test func twoStoresTakeWhatTheOtherOneHas() async throws {
        let group = try await CompactingReplicas.filled(2)
        let second = try await stop(1, of: group)
        let changes = [SyncModel.insert(7), SyncModel.update(1, "name", .string("Bea"))]
        try await lose(changes, of: group.replicas[0], group)
        try await group.compact(group.replicas[0])
        let first = try await stop(0, of: group)
        let other = try await group.add(in: second)
        try await lose([SyncModel.insert(8), SyncModel.update(1, "salary", .double(4))], of: other, group)
        try await group.compact(other)
        try await group.add(in: first)
        try await group.exchange()
        for replica in group.replicas {
            let name = try offered(to: replica, .baselineWaits)
            #expect(name.writer != replica.own)
            try await accept(name, replica)
        }
        for _ in 0..<3 { try await group.exchange() }
        #expect(try group.digests().count == 1)
        #expect(try group.replicas.allSatisfy { try $0.employees(1...9) == [1, 2, 7, 8] })
    }

    /// Later increments of a counter are lost too: whoever accepts the baseline vouches for its total.
    @Test func whatCannotBeComparedTakesAnotherDecision() async throws {
        let meter =
            "version: \"1\"\nentities:\n  Meter: {attributes: {sum: {type: Integer 64, default: 0, merge: counter}}}\n"
        let group = try CompactingReplicas(model: Model(yaml: meter))
        for _ in 0..<2 { try await group.add() }
        let id = SyncModel.employee(1)
        func increment(_ amount: Int64, isInsert: Bool = false) -> [Change] {
            let writes = [PropertyWrite(name: "sum", value: JSONValue(increment: .integer(amount)))]
            return [Change(entity: "Meter", id: id, operation: isInsert ? .insert(writes) : .update(writes))]
        }
        try group.replicas[0].save(increment(1, isInsert: true))
        try await group.exchange()
        try group.replicas[1].save(increment(10))
        try await group.exchange()
        let second = try await stop(1, of: group)
        try await lose(increment(100), of: group.replicas[0], group)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let other = try await group.add(in: second)
        try await lose(increment(1_000), of: other, group)
        // What the other one has counted since is in no file.
        let error = await #expect(throws: SyncError.self) { try await accept(cut, other) }
        guard case .baselineUnproven(cut, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(endorsements(other, group).isEmpty)
        #expect(try await accept(cut, other, isUnproven: true) == .verified(cut))
        for _ in 0..<3 { try await group.exchange() }
        let rows = try PlainSQL(path: other.store.configuration.path).rows("SELECT sum FROM Meter")
        #expect(rows == [["1111"]], "\(rows)")
    }

    /// A baseline that this store cannot compare is a problem once no store has endorsed one for days.
    @Test func aBaselineThatStaysUnverifiedIsAProblem() async throws {
        let meter =
            "version: \"1\"\nentities:\n  Meter: {attributes: {sum: {type: Integer 64, default: 0, merge: counter}}}\n"
        let group = try CompactingReplicas(model: Model(yaml: meter))
        let (first, second) = (try await group.add(), try await group.add())
        let increment = [PropertyWrite(name: "sum", value: JSONValue(increment: .integer(1)))]
        let id = SyncModel.employee(1)
        try first.save([Change(entity: "Meter", id: id, operation: .insert(increment))])
        try await group.exchange()
        try await group.acknowledge()
        let cut = try #require(try await group.compact(first).cut)
        try await lose([Change(entity: "Meter", id: id, operation: .update(increment))], of: second, group)
        let step = try await group.compact(second).verification
        #expect(step.result == .waits && step.file == cut.path, "\(step)")
        func problem() -> Problem? { second.service.status.problems.first { $0.code == .baselineUnverified } }
        #expect(problem() == nil)
        group.wall.advance(milliseconds: 4 * 86_400_000)
        let found = try #require(problem())
        #expect(found.detail.contains("increments") && found.writer == first.own, "\(found)")
        #expect(found.hint?.hasSuffix("tributaryctl baseline accept \(cut.path)") == true, "\(found)")
        #expect(try await accept(cut, second, isUnproven: true) == .verified(cut))
        #expect(problem() == nil)
    }

    /// A value that both have differs: the refusal names it with both transactions, and nothing is published.
    @Test func aContradictionIsRefused() async throws {
        let group = try await CompactingReplicas.filled(2)
        let first = group.replicas[0]
        let folder = try await stop(1, of: group)
        try PlainSQL(path: first.folder.path("store.sqlite")).execute(
            "UPDATE Employee SET name = 'Eve' WHERE name = 'Ann'"
        )
        try await lose([SyncModel.insert(7)], of: first, group)
        let cut = try #require(try await group.compact(first).cut)
        let second = try await group.add(in: folder)
        try await second.service.importAll()
        for isUnproven in [false, true] {
            let error = await #expect(throws: SyncError.self) { try await accept(cut, second, isUnproven: isUnproven) }
            guard case .baselineContradicts(cut, let difference) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            for part in ["Employee", "name: ", "Eve", "Ann", "of transaction 1 of writer"] {
                #expect(difference.contains(part), "\(difference)")
            }
        }
        #expect(endorsements(second, group).isEmpty)
        #expect(second.service.state.read(\.knownBaselines).verified.isEmpty)
    }

    /// A store that has applied everything decides by the usual law; the maker of a baseline may vouch for it.
    @Test(arguments: [0, 1]) func aBaselineWithoutUnknownTransactionsIsAccepted(by index: Int) async throws {
        let group = try await CompactingReplicas.filled(2)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        if index == 0 {
            // The maker compares it with what is left of the log folder, too.
            let file = try #require(group.files(".tlog").min())
            try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(file)")
        }
        #expect(try await accept(cut, group.replicas[index]) == .verified(cut))
        #expect(endorsements(group.replicas[index], group).count == 1)
    }

    /// What is not in the log folder, cannot be read, or is not trusted, is refused with what helps.
    @Test func aBaselineThatDoesNotCountIsRefused() async throws {
        let settings = TrustSettings(mode: .known, pinsFirst: true)
        let group = try await CompactingReplicas.filled(2, trust: settings)
        let (first, second) = (group.replicas[0], group.replicas[1])
        let unknown = BaselineName(writer: first.own, sequence: 99)
        await #expect(throws: SyncError.noSuchBaseline(unknown)) { try await accept(unknown, second) }
        let broken = BaselineName(writer: first.own, sequence: 98)
        try group.logs.put(Array("{}\n".utf8), at: broken.path)
        let unreadable = await #expect(throws: SyncError.self) { try await accept(broken, second) }
        guard case .baselineUnusable(broken, _, _) = unreadable else {
            Issue.record("\(String(describing: unreadable))")
            return
        }
        let cut = try #require(try await group.compact(first).cut)
        try await second.service.setTrust(.revoked, of: first.own, key: nil)
        let untrusted = await #expect(throws: SyncError.self) { try await accept(cut, second) }
        guard case .baselineUnusable(cut, let reason, let hint) = untrusted else {
            Issue.record("\(String(describing: untrusted))")
            return
        }
        #expect(reason.contains("revoked") && hint.contains("tributaryctl compact"), "\(reason) \(hint)")
        #expect(endorsements(second, group).isEmpty)
    }

    /// A store is revoked, and another one has applied more of it: its baseline brings that, not a removed file.
    @Test func whatAnotherStoreHasOfARevokedOneIsOffered() async throws {
        let settings = TrustSettings(mode: .known, pinsFirst: true)
        let group = try await CompactingReplicas.filled(3, trust: settings)
        let (first, third) = (group.replicas[0], group.replicas[2])
        try await first.service.setTrust(.revoked, of: third.own, key: nil)
        try third.save([SyncModel.insert(7)])
        try await group.exchange()
        func held() throws -> Problem {
            try #require(first.service.status.problems.first { $0.code == .segmentsHeld })
        }
        #expect(try held().hint?.contains("unless another machine has applied it") == true)
        let cut = try #require(try await group.compact(group.replicas[1]).cut)
        try await group.exchange()
        #expect(try offered(to: first, .segmentsHeld) == cut)
        try await accept(cut, first)
        for _ in 0..<3 { try await group.exchange() }
        #expect(try group.digests().count == 1)
    }
}
