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

    /// Lets a store publish changes, and loses their segments before anybody else reads them; with `isForgotten` the
    /// store's outbox loses them, too.
    private func lose(
        _ changes: [Change],
        of replica: SyncReplica,
        _ group: CompactingReplicas,
        isForgotten: Bool = false
    ) async throws {
        try await replica.service.exportNow()
        let before = group.files(".tlog")
        try replica.save(changes)
        try await replica.service.exportNow()
        let lost = group.files(".tlog").subtracting(before)
        #expect(!lost.isEmpty)
        for file in lost { try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(file)") }
        guard isForgotten else { return }
        try PlainSQL(path: replica.store.configuration.path).execute("DELETE FROM tributary_outgoing")
    }

    private static let meter =
        "version: \"1\"\nentities:\n  Meter: {attributes: {sum: {type: Integer 64, default: 0, merge: counter}}}\n"

    private static func increment(_ amount: Int64, isInsert: Bool = false) -> [Change] {
        let writes = [PropertyWrite(name: "sum", value: JSONValue(increment: .integer(amount)))]
        return [
            Change(
                entity: "Meter",
                id: SyncModel.employee(1),
                operation: isInsert ? .insert(writes) : .update(writes)
            )
        ]
    }

    private static func sum(_ replica: SyncReplica) throws -> String? {
        try PlainSQL(path: replica.store.configuration.path).value("SELECT sum FROM Meter")
    }

    /// Writes a baseline again with other lines of writers.
    private func forge(
        _ name: BaselineName,
        _ group: CompactingReplicas,
        _ edit: (inout BaselineWriter) -> Void
    ) throws {
        let text = String(
            decoding: try Data(contentsOf: URL(filePath: "\(group.logs.path)/\(name.path)")),
            as: UTF8.self
        )
        let whole = try VerifiedBaseline.verify(
            LogFolder(path: group.logs.path).open(fileName: name.fileName, writer: name.writer)
        )
        let writers = whole.writers.map(\.line)
        let lines = text.split(separator: "\n").dropLast().map(String.init).map { line in
            guard let index = writers.firstIndex(of: line) else { return line }
            var writer = whole.writers[index]
            edit(&writer)
            return writer.line
        }
        try group.logs.put(SegmentText.baseline(lines), at: name.path)
    }

    /// The baseline in the first hint that has the command; the hint does not give up the transactions.
    private func offered(
        to replica: SyncReplica,
        _ code: Problem.Code,
        isAlone: Bool = false
    ) throws -> BaselineName {
        let problems = replica.service.status.problems.filter { $0.detail.hasPrefix("Only this store") == isAlone }
        let problem = try #require(problems.first { $0.code == code })
        let hint = try #require(problem.hint)
        #expect(!hint.contains("abandon"), "\(hint)")
        let path = try #require(hint.firstMatch(of: #/tributaryctl baseline accept ([^\s;]+)/#)).1.split(separator: "/")
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
        group.files(".comparison").filter { $0.hasPrefix("\(replica.service.ownWriter)/") }
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
        group.wall.advance(milliseconds: 10)
        // The store that has the data tells it, too.
        #expect(try offered(to: first, .baselineWaits, isAlone: true) == cut)
        #expect(first.service.idleBaselineProblems.contains(.baselineWaits))
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
        for command in ["baseline accept \(cut.path)", "check --repair"] {
            #expect(explained?.hint?.contains(command) == true, "\(explained?.hint ?? "")")
        }

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

    /// A store that has published nothing, or nothing as its present writer, has no folder of its own yet.
    @Test(arguments: [false, true]) func aNewMachineAcceptsABaseline(isRestamped: Bool) async throws {
        let group = try await CompactingReplicas.filled(2)
        let folder = try await stop(1, of: group)
        try await lose([SyncModel.insert(7)], of: group.replicas[0], group)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let added = try await group.add()
        if isRestamped {
            try added.save([SyncModel.insert(8)])
            try await added.service.exportNow()
            _ = try await added.service.restamp()
        }
        try await group.exchange()
        let fresh = added.service.ownWriter
        #expect(!group.files(".tlog").contains { $0.hasPrefix("\(fresh)/") })
        #expect(try await accept(cut, added) == .verified(cut))
        #expect(endorsements(added, group).count == 1)
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

    /// Later increments of a counter are lost too: whoever accepts the baseline vouches for its total, unless this
    /// store's outbox has them.
    @Test(arguments: [false, true]) func whatCannotBeComparedTakesAnotherDecision(isForgotten: Bool) async throws {
        let group = try CompactingReplicas(model: Model(yaml: Self.meter))
        for _ in 0..<2 { try await group.add() }
        try group.replicas[0].save(Self.increment(1, isInsert: true))
        try await group.exchange()
        try group.replicas[1].save(Self.increment(10))
        try await group.exchange()
        let second = try await stop(1, of: group)
        try await lose(Self.increment(100), of: group.replicas[0], group)
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let other = try await group.add(in: second)
        try await lose(Self.increment(1_000), of: other, group, isForgotten: isForgotten)
        if isForgotten {
            let error = await #expect(throws: SyncError.self) { try await accept(cut, other) }
            guard case .baselineUnproven(cut, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(endorsements(other, group).isEmpty)
        }
        #expect(try await accept(cut, other, isUnproven: isForgotten) == .verified(cut))
        for _ in 0..<3 { try await group.exchange() }
        #expect(try Self.sum(other) == "1111")
    }

    /// A baseline that this store cannot compare is a problem once no store has endorsed one for days.
    @Test func aBaselineThatStaysUnverifiedIsAProblem() async throws {
        let group = try CompactingReplicas(model: Model(yaml: Self.meter))
        let (first, second) = (try await group.add(), try await group.add())
        try first.save(Self.increment(1, isInsert: true))
        try await group.exchange()
        try await group.acknowledge()
        let cut = try #require(try await group.compact(first).cut)
        try await lose(Self.increment(1), of: second, group, isForgotten: true)
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

    /// A store refuses a baseline with transactions of its present writer that it has not written.
    ///
    /// Others may accept it, and what the store has saved meanwhile reaches them under another name.
    @Test(arguments: [false, true])
    func savesOutliveABaselineThatClaimsMoreOfTheirWriter(isExportedFirst: Bool) async throws {
        let group = try CompactingReplicas(model: Model(yaml: Self.meter))
        for _ in 0..<3 { try await group.add() }
        let (first, second, third) = (group.replicas[0], group.replicas[1], group.replicas[2])
        try first.save(Self.increment(1, isInsert: true))
        try await group.exchange()
        try second.save(Self.increment(10))
        try await group.exchange()
        try await group.acknowledge()
        let cut = try #require(try await group.compact(first).cut)
        let former = try second.store.read { try $0.writers.own() }
        try forge(cut, group) { if $0.id == former.id { $0.sequence += 1_000 } }
        for isUnproven in [false, true] {
            let error = await #expect(throws: SyncError.self) { try await accept(cut, second, isUnproven: isUnproven) }
            guard case .baselineContradicts(cut, let difference) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(difference.contains("\(former.id) after transaction \(former.sequence)"), "\(difference)")
        }
        #expect(endorsements(second, group).isEmpty)
        #expect(try second.store.read { try $0.writers.own().id } == former.id)

        try second.save(Self.increment(100))
        if isExportedFirst {
            try await second.service.exportNow()
            let problem = try #require(second.service.status.problems.first { $0.code == .nameTaken })
            #expect(problem.file == "\(group.logs.path)/\(cut.path)", "\(problem)")
            #expect(problem.hint?.contains("rm ") == false, "\(problem)")
        }
        #expect(try await accept(cut, third) == .verified(cut))
        for _ in 0..<2 {
            try await second.service.importAll()
            group.wall.advance(milliseconds: 10)
        }
        let own = try second.store.read { try $0.writers.own() }
        #expect(own.id != former.id && second.service.ownWriter == own.id)
        #expect(own.incarnation.after == Incarnation.Predecessor(writer: former.id, sequence: former.sequence))
        #expect(try second.position(former.id) == former.sequence + 1_000)
        #expect(try Self.sum(second) == "111")
        for _ in 0..<3 { try await group.exchange() }
        for replica in group.replicas { #expect(try Self.sum(replica) == "111") }
        #expect(try group.digests().count == 1)
        // The store has joined the baseline, which counts for the pause before the next fresh writer, and is no problem.
        try await second.service.exportNow()
        #expect(!second.service.status.problems.contains { $0.code == .nameTaken }, "\(second.service.status.problems)")
        let taken = try second.store.read { try TakenNames($0) }.entries
        #expect(taken.map(\.path) == [cut.path])
        #expect(taken.map(\.claim) == [TakenNames.Claim(writer: former.id, last: former.sequence + 1_000)])
    }

    /// Nobody joins a baseline with a clock that is far ahead: the answer says so.
    @Test func anAcceptedBaselineMayHaveToWait() async throws {
        let group = try await CompactingReplicas.filled(3)
        let (second, third) = (group.replicas[1], group.replicas[2])
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let ahead = HybridClock(group.wall.now.later(by: .seconds(10 * 365 * 86_400)))
        try forge(cut, group) { if $0.id == second.own { ($0.sequence, $0.clock) = ($0.sequence + 9, ahead) } }
        let step = try await accept(cut, third)
        #expect(step.result == .verified && step.file == cut.path)
        #expect(step.detail?.contains("No store joins it yet: the clock of writer") == true, "\(step)")
    }

    /// A folder under the name of the comparison is a problem until it is gone.
    @Test func aFolderInThePlaceOfAComparisonIsNamed() async throws {
        let group = try await CompactingReplicas.filled(2)
        let second = group.replicas[1]
        let cut = try #require(try await group.compact(group.replicas[0]).cut)
        let name = BaselineComparison.Name(writer: second.own, of: cut)
        let path = "\(group.logs.path)/\(name.path)"
        try FileManager.default.createDirectory(atPath: "\(path)/full", withIntermediateDirectories: true)
        let error = await #expect(throws: ExportFailure.self) { try await accept(cut, second) }
        guard case .nameTaken(path, _, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await group.compact(second).verification.result == .waits)
        let problem = try #require(second.service.status.problems.first { $0.code == .nameTaken })
        #expect(problem.hint?.hasSuffix("rm -r \(path)") == true && problem.detail.contains("endorse"), "\(problem)")
        // The store stays its writer.
        #expect(try second.store.read { try $0.writers.own().id } == second.own)
        try FileManager.default.removeItem(atPath: path)
        #expect(try await accept(cut, second) == .verified(cut))
        try await second.service.exportNow()
        #expect(second.service.status.problems.isEmpty, "\(second.service.status.problems)")
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
