import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Stores that compact their log folder: what goes, who may join, and what keeps everything in its place.
@Suite(.timeLimit(.minutes(30)), .watcherTurns) struct CompactorTests {
    @Test func whatIsCoveredGoesAndANewStoreNeedsOnlyTheRest() async throws {
        let group = try await CompactingReplicas.filled(3)
        let photo = JSONValue.string(Data(repeating: 7, count: 200_000).base64EncodedString())
        try group.replicas[0].save([SyncModel.update(1, "photo", photo)])
        try await group.exchange()
        try await group.acknowledge()
        let before = group.files(".tlog")
        let report = try await group.compact(group.replicas[0], .dryRun)
        let name = try #require(report.cut, "\(report.baseline)")
        #expect(group.files(".baseline").isEmpty)
        try await group.compactAndPrune()
        #expect(!group.files(".baseline").isEmpty && !group.files(".comparison").isEmpty, "\(name)")
        #expect(group.files(".tlog").isDisjoint(with: before))
        // The large value was in a line of a segment; now it is a blob.
        let blobs = try FileManager.default.contentsOfDirectory(
            atPath: "\(group.logs.path)/\(group.replicas[0].own)/blobs"
        )
        #expect(blobs.count == 1)

        let fourth = try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
        let row = try fourth.store.read { try $0.row(SyncModel.employee(1), rootEntity: "Employee") }
        #expect(row != nil)
    }

    /// Everybody can take the name of the next baseline; an empty transaction gives it another one.
    @Test(arguments: [false, true]) func aBaselineWhoseNameIsTakenGetsTheNextName(isFolder: Bool) async throws {
        let group = try await CompactingReplicas.filled(2)
        let maker = group.replicas[0]
        let planned = try #require(try await group.compact(maker, .dryRun).cut)
        let path = "\(group.logs.path)/\(planned.path)"
        #expect((isFolder ? mkdir(path, 0o770) : mkfifo(path, 0o660)) == 0)
        let report = try await group.compact(maker)
        let cut = try #require(report.cut, "\(report.baseline)")
        #expect(cut.writer == planned.writer && cut.sequence == planned.sequence + 1)
        #expect(rmdir(path) == 0 || unlink(path) == 0)
    }

    /// Amounts that the model cannot count wait for another one, beside the totals of the same writer; so they do in a
    /// store that has them from a baseline.
    @Test func whatACounterCannotCountIsDeferredInANewStoreToo() async throws {
        let group = try CompactingReplicas(
            model: Model(
                yaml: """
                    version: "1"
                    entities:
                      Person: {abstract: true, attributes: {name: String?}}
                      Worker:
                        parent: Person
                        attributes:
                          hours: {type: Integer 64, default: 0, merge: counter}
                          fuel: {type: Double, default: 0, merge: counter}
                    """
            )
        )
        for _ in 0..<2 { try await group.add() }
        func change(_ entity: String, _ number: UInt64, _ name: String, _ amount: JSONValue) -> Change {
            let value = JSONValue.object([JSONMember(key: "increment", value: amount)])
            let write = PropertyWrite(name: name, value: value)
            return Change(entity: entity, id: SyncModel.employee(number), operation: .update([write]))
        }
        var changes = (1...3 as ClosedRange<UInt64>).map {
            Change(entity: "Worker", id: SyncModel.employee($0), operation: .insert([]))
        }
        changes += [
            change("Worker", 1, "hours", .integer(10)), change("Worker", 1, "hours", .double(1.5)),
            change("Worker", 2, "hours", .double(2.5)), change("Worker", 3, "hours", .string("3")),
            change("Person", 3, "hours", .integer(4)), change("Worker", 3, "fuel", .double(0.5)),
            change("Worker", 3, "fuel", .string("1e400")), change("Person", 3, "fuel", .double(-1e308)),
        ]
        let transactions = zip(UInt64(1)..., changes).map { sequence, change in
            SyncModel.transaction(sequence, [change])
        }
        let segment = SegmentText(writer: LogsFolder.writer(1), transactions)
        try group.logs.put(segment)
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAll()
        try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(segment.name.path)")
        let third = try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
        let rows = try group.replicas.map {
            try PlainSQL(path: $0.store.configuration.path).rows("SELECT hours, fuel FROM Worker ORDER BY _id")
        }
        #expect(Set(rows) == [[["10", "0.0"], ["0", "0.0"], ["0", "0.5"]]], "\(rows)")
        // What it makes of them is what the others make.
        let baselines = try group.replicas.map { replica in
            var lines: [[UInt8]] = []
            _ = try replica.store.read { try $0.baseline.forEachLine { lines.append($0) } }
            return Set(lines.map { String(decoding: $0, as: UTF8.self) }.filter { $0.hasPrefix("{\"counter\"") })
        }
        #expect(baselines[0].count == 8 && Set(baselines).count == 1, "\(baselines)")
        #expect(try third.position(LogsFolder.writer(1)) == UInt64(changes.count))
    }

    /// A store that has had an entity knows which writes of it count.
    ///
    /// A store that never had it keeps all of them, so that the two cannot be compared there. A difference in what both
    /// know is still found.
    @Test(arguments: [false, true])
    func whatOnlyAnOlderModelHadIsNoDifference(isWrong: Bool) async throws {
        func model(_ version: String, _ more: String = "") throws -> Model {
            let thing = "  Thing: {attributes: {name: String?\(more.isEmpty ? "" : ", colour: String?")}}\n"
            return try Model(yaml: "version: \"\(version)\"\nentities:\n\(thing)\(more)")
        }
        let (old, new) = (try model("1", "  Note: {attributes: {text: String?}}\n"), try model("2"))
        let group = try CompactingReplicas(model: new)
        let first = try await group.add(model: old)
        func text(_ text: String) -> [PropertyWrite] { [PropertyWrite(name: "text", value: .string(text))] }
        func thing(_ name: String, _ colour: String) -> [PropertyWrite] {
            [PropertyWrite(name: "colour", value: .string(colour)), PropertyWrite(name: "name", value: .string(name))]
        }
        let (note, one) = (SyncModel.employee(1), SyncModel.employee(2))
        try first.save([Change(entity: "Note", id: note, operation: .insert(text("a")))])
        try first.save([Change(entity: "Thing", id: one, operation: .insert(thing("x", "red")))])
        try first.save([
            Change(entity: "Note", id: note, operation: .update(text("b"))),
            Change(entity: "Thing", id: one, operation: .update(thing("y", "blue"))),
        ])
        try await group.exchange()
        try await first.stop()
        group.replicas.removeAll()
        try await group.add(in: first.folder)
        let second = try await group.add()
        try await group.exchange()
        try await group.acknowledge()
        if isWrong {
            try PlainSQL(path: first.folder.path("store.sqlite")).execute("UPDATE Thing SET name = 'z'")
        }
        let name = try #require(try await group.compact(group.replicas[0]).cut)
        let report = try await group.compact(second)
        if isWrong {
            #expect(report.verification == .differs(name), "\(report.verification)")
        } else {
            #expect(report.verification.detail?.contains("the model lacks") == true, "\(report.verification)")
            try await group.compact(group.replicas[0], .dryRun)
            #expect(!group.replicas[0].service.status.problems.contains { $0.code == .baselinesDiffer })
        }
    }

    /// An evicted writer is not waited for; it comes back with a change of its own and joins a baseline.
    @Test func anEvictedWriterComesBack() async throws {
        let group = try await CompactingReplicas.filled(3)
        let away = group.replicas.removeLast()
        try await away.stop()
        try group.replicas[0].save([SyncModel.update(3, "salary", .double(5))])
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAll()
        let waiting = try await group.compact(group.replicas[0], .dryRun)
        #expect(waiting.remaining.contains { $0.waitsFor.contains { $0.contains("\(away.own)") } })
        for replica in group.replicas {
            try replica.store.write { try $0.setState(.evicted, of: away.own) }
        }
        let before = group.files(".tlog").filter { !$0.hasPrefix("\(away.own)") }
        try await group.acknowledge()
        try await group.compactAndPrune()
        #expect(group.files(".tlog").isDisjoint(with: before))

        let back = try await group.add(in: away.folder)
        #expect(back.own == away.own)
        try back.save([SyncModel.insert(9)])
        try await group.exchange()
        try await group.exchange()
        #expect(try group.digests().count == 1)
        #expect(try group.replicas[0].employees(1...9) == [1, 2, 3, 9])
    }

    /// A store that finds a difference objects, and nothing goes for the baseline.
    ///
    /// Its maker compares it with the log folder, and finds that the store is wrong.
    @Test func aBaselineThatDiffersRemovesNothing() async throws {
        let group = try await CompactingReplicas.filled(2)
        let (first, second) = (group.replicas[0], group.replicas[1])
        let before = group.files(".tlog")
        // The first store's state is wrong.
        try PlainSQL(path: first.folder.path("store.sqlite")).execute(
            "UPDATE Employee SET name = 'Eve' WHERE name = 'Ann'"
        )
        let name = try #require(try await group.compact(first).cut)
        let report = try await group.compact(second)
        #expect(report.verification == .differs(name), "\(report.verification)")
        for replica in group.replicas {
            try await group.compact(replica, .dryRun)
            let problem = replica.service.status.problems.first { $0.code == .baselinesDiffer }
            let detail = problem?.detail ?? ""
            #expect(detail.contains(name.path) && detail.contains("\(second.own)"), "\(detail)")
            #expect(detail.contains("name:") && detail.contains("Eve") && detail.contains("Ann"), "\(detail)")
            #expect(problem?.hint?.hasSuffix("has a new store: rm \(group.logs.path)/\(name.path)") == true)
        }
        #expect(before.isSubset(of: group.files(".tlog")))
        let third = try await group.add()
        try await group.exchange()
        #expect(try third.store.read { try $0.writers.segment(writer: first.own, beginningBy: .max) } != nil)
        try await third.stop()
        group.replicas.removeLast()

        // The store that is wrong finds it too, in the segments, and does not endorse. The other one has made a baseline that
        // the wrong store objects to; its maker endorses that, because the segments agree.
        let right = try #require(report.cut)
        let found = [try await group.compact(first), try await group.compact(first)].map(\.verification)
        #expect(Set(found) == [.differs(name), .differs(right)], "\(found)")
        var verified: [CompactionReport.Step] = []
        // A pass compares one.
        for _ in 0..<3 { verified.append(try await group.compact(second).verification) }
        #expect(verified.contains(.verified(right)), "\(verified)")
        let fourth = try await group.add()
        try await group.exchange()
        let digests = try [fourth, second].map { replica in try replica.store.read { try $0.mergeState.digest().digest }
        }
        #expect(digests[0] == digests[1])
    }

    /// A store without others compares what it has made with the log folder, again and again.
    @Test func aLoneStoreCompacts() async throws {
        let group = try await CompactingReplicas.filled(1)
        let one = group.replicas[0]
        for round in 1...3 {
            try one.save([SyncModel.update(1, "salary", .double(Double(round)))])
            try await group.exchange()
            let before = group.files(".tlog")
            #expect(!before.isEmpty)
            let report = try await group.compact(one)
            let name = try #require(report.cut, "\(report.baseline)")
            #expect(report.verification == .verified(name), "\(report.verification)")
            #expect(report.removedSegments == before.count && group.files(".tlog").isEmpty)
            #expect(group.files(".baseline").count == 1 && group.files(".comparison").count == 1)
        }
        // Once its log folder has been lost for a day, the state of the store is all that there is.
        let folder = "\(group.logs.path)/\(one.own)"
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        try one.save([SyncModel.update(1, "salary", .double(9))])
        try await group.exchange()
        #expect(try await group.compact(one).verification.result == .waits)
        group.wall.advance(milliseconds: 2 * 86_400_000)
        _ = try await group.compact(one)
        #expect(group.files(".baseline").count == 1 && group.files(".comparison").count == 1)
        try await group.add()
        try await group.exchange()
        #expect(try group.digests().count == 1)
    }

    /// Two stores with one counter, and a change that counts once more.
    private static func meters() async throws -> (CompactingReplicas, Change) {
        let meter =
            "version: \"1\"\nentities:\n  Meter: {attributes: {sum: {type: Integer 64, default: 0, merge: counter}}}\n"
        let group = try CompactingReplicas(model: Model(yaml: meter))
        let first = try await group.add()
        try await group.add()
        let increment = PropertyWrite(name: "sum", value: JSONValue(increment: .integer(1)))
        let id = SyncModel.employee(1)
        try first.save([Change(entity: "Meter", id: id, operation: .insert([increment]))])
        try await group.exchange()
        return (group, Change(entity: "Meter", id: id, operation: .update([increment])))
    }

    /// A total is compared without the later increments, which the outbox has.
    @Test func increasesThatAreNotExportedLeaveNothingOpen() async throws {
        let (group, count) = try await Self.meters()
        let (first, second) = (group.replicas[0], group.replicas[1])
        try second.save([count])
        try await group.exchange()
        let name = try #require(try await group.compact(first).cut)
        try second.save([count])
        #expect(try await group.compact(second).verification == .verified(name))
    }

    /// A lost segment leaves the answer open: the next pass reads the baseline again only when the segment is there.
    @Test func anOpenAnswerIsKeptUntilTheMissingSegmentIsThere() async throws {
        let (group, count) = try await Self.meters()
        let (first, second) = (group.replicas[0], group.replicas[1])
        try await group.acknowledge()
        let cut = try #require(try await group.compact(first).cut)
        let before = group.files(".tlog")
        try second.save([count])
        try await second.service.exportNow()
        let lost = URL(filePath: "\(group.logs.path)/\(try #require(group.files(".tlog").subtracting(before).first))")
        let segment = try Data(contentsOf: lost)
        try FileManager.default.removeItem(at: lost)
        try PlainSQL(path: second.store.configuration.path).execute("DELETE FROM tributary_outgoing")
        try await second.service.importAll()
        let compactor = Compactor(sync: second.service)
        let open = try await compactor.compact(.automatic).verification
        #expect(open.result == .waits && open.file == cut.path, "\(open)")
        // Whoever reads the file finds that it was changed.
        let file = URL(filePath: "\(group.logs.path)/\(cut.path)")
        let place = try #require(try Data(contentsOf: file).range(of: Data("\"insert\":\"Meter\"".utf8))).lowerBound
        func overwrite(_ text: String) throws {
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(toOffset: UInt64(place))
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }
        try overwrite("\"insert\":\"Metre\"")
        let again = try await compactor.compact(.automatic).verification
        // The store may have cut a baseline of its own since.
        #expect(again.result == .waits, "\(again), at first \(open)")
        #expect(second.service.state.read(\.knownBaselines.refused).isEmpty)
        try overwrite("\"insert\":\"Meter\"")
        try segment.write(to: lost)
        let last = try await compactor.compact(.automatic).verification
        #expect(last.result == .verified, "\(last)")
    }

    /// Another store compacts between the moment at which a check lists the folder and the moment at which it reads the files.
    @Test func aCheckBesideACompactionMissesNothing() async throws {
        let group = try await CompactingReplicas.filled(2)
        let (path, aside) = (group.logs.path, try TemporaryFolder("aside"))
        let files = FileManager.default
        try files.copyItem(atPath: path, toPath: aside.path("before"))
        try await group.compactAll()
        let removed = try files.subpathsOfDirectory(atPath: aside.path("before")).filter {
            $0.hasSuffix(".tlog") && !files.fileExists(atPath: "\(path)/\($0)")
        }
        #expect(!removed.isEmpty)
        try files.moveItem(atPath: path, toPath: aside.path("after"))
        try files.moveItem(atPath: aside.path("before"), toPath: path)
        let store = group.replicas[0].store
        let report = try await StoreCheck(
            of: store,
            logs: path,
            repairs: false,
            open: { try Store.open($0) },
            progress: { phase, _, _ in
                // The folder has been listed.
                guard phase == "segments", files.fileExists(atPath: aside.path("after")) else { return }
                do {
                    // In the same folder, which the check has open.
                    for file in removed { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }
                    for file in try FileManager.default.subpathsOfDirectory(atPath: aside.path("after"))
                    where file.hasSuffix(".baseline") || file.hasSuffix(".comparison") {
                        try FileManager.default.copyItem(atPath: aside.path("after/\(file)"), toPath: "\(path)/\(file)")
                    }
                    try FileManager.default.moveItem(atPath: aside.path("after"), toPath: aside.path("done"))
                } catch {
                    Issue.record(error)
                }
            }
        ).run()
        #expect(!files.fileExists(atPath: aside.path("after")))
        #expect(report.ok, "\(report.problems)")
    }

    /// Where segments are gone, a check compares the baselines itself; a comparison of another store may not be there yet.
    @Test func aCheckComparesTheBaselinesThatNobodyHasEndorsed() async throws {
        let group = try await CompactingReplicas.filled(2)
        let one = group.replicas[0]
        try await group.compactAndPrune()
        let endorsements = group.files(".comparison")
        #expect(!endorsements.isEmpty)
        for file in endorsements { try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(file)") }
        let report = try await one.check(group.logs.path)
        #expect(report.ok && report.comparison.result == "equal", "\(report)")
        let steps = try #require(report.baselines)
        #expect(!steps.isEmpty && steps.allSatisfy { $0.result == .verified }, "\(steps)")
        // A baseline with another state is no evidence for the segments that are gone.
        try PlainSQL(path: one.folder.path("store.sqlite")).execute(
            "UPDATE Employee SET name = 'Eve' WHERE name = 'Ann'"
        )
        let wrong = try await one.check(group.logs.path)
        #expect(Set(wrong.problems.map(\.code)) == [.baselinesDiffer, .segmentMissing], "\(wrong)")
        #expect(wrong.problems.contains { $0.detail.contains("Eve") && $0.detail.contains("Ann") }, "\(wrong)")
        #expect(wrong.comparison.reason == "segments-missing")
    }

    /// A later segment is lost, so that no store can be built: the baseline still shows that the state up to it is right.
    @Test func aCheckComparesABaselineWhereALaterSegmentIsLost() async throws {
        let group = try await CompactingReplicas.filled(2)
        let (first, second) = (group.replicas[0], group.replicas[1])
        let cut = try #require(try await group.compact(first).cut)
        try await group.compact(second)
        #expect(try await first.check(group.logs.path).baselines == nil)
        let before = group.files(".tlog")
        try first.save([SyncModel.update(1, "salary", .double(5))])
        try await group.exchange()
        let later = group.files(".tlog").subtracting(before).filter { $0.hasPrefix("\(first.own)") }
        #expect(later.count == 1)
        for file in later { try FileManager.default.removeItem(atPath: "\(group.logs.path)/\(file)") }
        let report = try await second.check(group.logs.path)
        #expect(report.problems.map(\.code) == [.segmentMissing], "\(report)")
        #expect(report.comparison.reason == "segments-missing" && report.baselines == [.verified(cut)], "\(report)")
    }

    /// A folder that takes the place of the log folder during a pass, as a mounted share does, loses nothing for a baseline
    /// that was read in the other one.
    @Test func aFolderThatComesDuringAPassLosesNothing() async throws {
        let group = try await CompactingReplicas.filled(1)
        let one = group.replicas[0]
        try one.save([SyncModel.update(1, "salary", .double(1))])
        try await group.exchange()
        let (path, aside) = (group.logs.path, try TemporaryFolder("aside"))
        let before = group.files(".tlog")
        #expect(!before.isEmpty)
        let compactor = Compactor(sync: one.service)
        let report = try await compactor.compact(.requested) { phase, _, _ in
            guard phase == "removal" else { return }
            do {
                try FileManager.default.moveItem(atPath: path, toPath: aside.path("logs"))
                try FileManager.default.copyItem(atPath: aside.path("logs"), toPath: path)
                // Its baseline has the same first and last lines.
                let files = try FileManager.default.subpathsOfDirectory(atPath: path)
                let baseline = URL(filePath: path).appending(
                    path: try #require(files.first { $0.hasSuffix(".baseline") })
                )
                var bytes = try Data(contentsOf: baseline)
                bytes[bytes.count / 2] ^= 1
                try bytes.write(to: baseline)
            } catch {
                Issue.record(error)
            }
        }
        #expect(report.removedSegments == before.count, "\(report)")
        #expect(group.files(".tlog") == before)
        let left = FileManager.default.subpaths(atPath: aside.path("logs")) ?? []
        #expect(!left.contains { $0.hasSuffix(".tlog") }, "\(left)")
    }

    /// A join is one SQLite transaction, for which local saves wait; how long that takes is printed.
    @Test func aJoinIsOneTransaction() async throws {
        let count = 20_000
        let group = try CompactingReplicas()
        for _ in 0..<2 { try await group.add() }
        for start in stride(from: 0, to: count, by: 1_000) {
            try group.replicas[0].save((start..<min(start + 1_000, count)).map { SyncModel.insert(UInt64($0) + 1) })
        }
        try await group.exchange()
        try await group.acknowledge()
        try await group.compactAll()
        let baseline = try #require(group.replicas[0].service.state.read(\.knownBaselines).verified.first)
        let folder = try TemporaryFolder("join")
        let store = try Store.open(
            StoreConfiguration(path: folder.path("store.sqlite"), name: "new", model: group.replicas[0].store.model)
        )
        let work = BaselineImport(
            baseline: baseline,
            logs: try LogFolder(path: group.logs.path),
            control: ImportControl()
        )
        let clock = ContinuousClock()
        var verified: VerifiedBaseline?
        let reading = try clock.measure { verified = try work.verified().0 }
        let whole = try #require(verified)
        var committed: CommittedTransaction?
        let holding = try clock.measure { committed = try store.write { try work.join(whole, $0) } }
        print("\(count) objects: read in \(reading), then the writer is held for \(holding)")
        #expect(committed != nil)
        #expect(try store.read { try $0.mergeState.digest().digest } == group.digests().first)
        try store.close()
    }

    /// The size that many changes leave follows the number of objects, and a new peer reads that.
    @Test func theFolderFollowsTheObjects() async throws {
        let changes = 6_000
        let objects = changes / 50
        let group = try CompactingReplicas()
        for _ in 0..<3 { try await group.add() }
        try group.replicas[0].save((0..<objects).map { SyncModel.insert(UInt64($0)) })
        try await group.exchange()
        for (index, replica) in group.replicas.enumerated() {
            let numbers = Array(stride(from: objects + index, to: changes, by: 3))
            for start in stride(from: 0, to: numbers.count, by: 1_000) {
                let batch = numbers[start..<min(start + 1_000, numbers.count)].map { number in
                    SyncModel.update(UInt64(number % objects), "salary", .double(Double(number % 90_000)))
                }
                try replica.save(batch)
            }
        }
        try await group.exchange()
        try await group.acknowledge()
        let clock = ContinuousClock()
        let full = group.bytes()
        let replaying = try await group.add()
        let replay = try await clock.measure { try await group.exchange() }
        try await replaying.stop()
        group.replicas.removeLast()

        try await group.compactAndPrune()
        let rest = group.bytes()
        let joining = try await group.add()
        let join = try await clock.measure { try await group.exchange() }
        #expect(
            try joining.store.read { try $0.writers.segment(writer: group.replicas[0].own, beginningBy: .max) } == nil
        )
        #expect(try group.digests().count == 1)
        print(
            "\(changes) changes of \(objects) objects: \(full) bytes, up in \(replay); "
                + "compacted \(rest) bytes, up in \(join)"
        )
        #expect(rest * 4 < full)
    }
}
