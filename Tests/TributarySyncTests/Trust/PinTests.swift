import Foundation
import TestSupport
import TestTraits
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Keys that are trusted at first sight: they are pinned by what is applied, and by nothing else.
@Suite(.watcherTurns) struct PinTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let a, b, c: UniqueID
    private let key, other: SigningKey

    init() throws {
        logs = try LogsFolder()
        (a, b, c) = (LogsFolder.writer(1), LogsFolder.writer(2), LogsFolder.writer(3))
        (key, other) = (SigningKey.generate(), SigningKey.generate())
    }

    /// A segment whose header names a store, and a writer that it goes on from.
    private func text(
        _ writer: UniqueID,
        _ range: ClosedRange<UInt64>,
        base: UInt64 = 0,
        store: UniqueID,
        after: Incarnation.Predecessor? = nil
    ) -> SegmentText {
        var segment = LogsFolder.text(writer, range, base: base)
        let incarnation = Incarnation(store: store, after: after)
        segment.lines[0] =
            SegmentHeader(
                writer: writer,
                first: range.lowerBound,
                last: range.upperBound,
                incarnation: incarnation
            )
            .line
        return segment
    }

    private func replica(keys: [PublicKey]? = nil) async throws -> SyncReplica {
        let settings = TrustSettings(mode: .known, pinsFirst: keys == nil, keys: keys ?? [])
        return try await SyncReplica(logs.path, wall: wall, signs: true, configure: { $0.trust = settings })
    }

    private func held(_ name: SegmentName, _ replica: SyncReplica) async throws -> String? {
        try await replica.service.importAll()
        let status = try await replica.service.segment(name)
        return status?.state == .held ? status?.reason : nil
    }

    @Test func aSegmentThatIsNotAppliedPinsNothing() async throws {
        let replica = try await replica()
        let forged = text(c, 1...1, base: 50, store: b, after: .init(writer: a, sequence: 7))
        try logs.put(forged, signedBy: other)
        try await replica.service.importAll()
        #expect(try await replica.state(forged.name) == .waiting)
        #expect(try replica.service.keys(of: b).isEmpty)
        try logs.put(LogsFolder.text(b, 1...1, base: 10), signedBy: key)
        try await replica.service.importAll()
        #expect(try replica.employees(1...99) == [11])
        #expect(try replica.service.keys(of: b).map(\.key) == [key.publicKey])
        // What it waits for comes: it is decided about again.
        try logs.put(LogsFolder.text(a, 1...7), signedBy: SigningKey.generate())
        #expect(try await held(forged.name, replica)?.contains("known by key \(key.publicKey)") == true)
        #expect(try replica.employees(1...99) == [1, 2, 3, 4, 5, 6, 7, 11])
        #expect(try replica.service.keys(of: b).map(\.key) == [key.publicKey])
    }

    /// In the folder of the store itself.
    @Test func aSegmentThatWaitsKeepsNoOtherOneBack() async throws {
        try logs.put(text(b, 1...2, base: 50, store: b, after: .init(writer: a, sequence: 7)), signedBy: other)
        try logs.put(LogsFolder.text(b, 1...1, base: 10), signedBy: key)
        let replica = try await replica()
        try await replica.service.importAll()
        #expect(try replica.employees(1...99) == [11])
        #expect(try replica.service.keys(of: b).map(\.key) == [key.publicKey])
    }

    /// Two writers of one store that have different first keys, both of which were new when they were read.
    @Test func ofTwoFirstKeysTheOneThatIsAppliedWins() async throws {
        let (first, second) = (text(b, 1...1, store: a), text(c, 1...1, base: 10, store: a))
        try logs.put(first, signedBy: key)
        try logs.put(second, signedBy: other)
        let replica = try await replica()
        #expect(try await held(second.name, replica)?.contains("known by key \(key.publicKey)") == true)
        #expect(try replica.employees(1...20) == [1])
        #expect(try replica.service.keys(of: a).map(\.key) == [key.publicKey])
    }

    /// A machine that begins reads what the store has signed with its former key and with its present one.
    @Test func aStoreThatHasChangedItsKeyIsTakenWithBoth() async throws {
        let (first, second) = (LogsFolder.text(a, 1...1), LogsFolder.text(a, 2...2))
        try logs.put(first, signedBy: key)
        try logs.put(second, signedBy: other)
        let replica = try await replica(keys: [key.publicKey, other.publicKey])
        #expect(try await held(second.name, replica) == nil)
        #expect(try replica.employees(1...9) == [1, 2])
        let keys = Set(try replica.service.keys(of: a).map(\.key))
        #expect(keys == [key.publicKey, other.publicKey])
        // Each of them is this store's alone.
        let forged = LogsFolder.text(b, 1...1, base: 10)
        try logs.put(forged, signedBy: other)
        #expect(try await held(forged.name, replica)?.hasPrefix("Nobody has trusted") == true)
        // A revocation counts for all of them.
        try await replica.service.setTrust(.revoked, of: a, key: nil)
        #expect(try replica.service.keys(of: a).map(\.state) == [.revoked, .revoked])
        let third = LogsFolder.text(a, 3...3)
        for key in [key, other] {
            try logs.put(third, signedBy: key)
            #expect(try await held(third.name, replica) == "Its key \(key.publicKey) is revoked.")
        }
    }

    // MARK: The store itself

    /// The store reads nothing that it has signed itself, so that no segment pins its key.
    @Test(arguments: [false, true])
    func noForeignKeySignsInTheNameOfThisStore(isListed: Bool) async throws {
        let replica = try await replica(keys: isListed ? [other.publicKey] : nil)
        var configuration = replica.service.state.configuration
        if isListed { configuration.trust.keys += [try #require(replica.service.signingKey?.publicKey)] }
        replica.service.reconfigure(configuration)
        let label = try replica.store.read { try $0.writers.own().store }
        let early = text(b, 1...1, base: 10, store: label)
        try logs.put(early, signedBy: other)
        #expect(try await held(early.name, replica)?.contains("is not a key of this store") == true)
        try replica.save([SyncModel.insert(1)])
        try await replica.service.exportNow()
        let late = text(c, 1...1, base: 20, store: label)
        try logs.put(late, signedBy: other)
        #expect(try await held(late.name, replica)?.contains("is not a key of this store") == true)
        #expect(try replica.employees(1...30) == [1])
        let problem = try #require(replica.service.status.problems.first { $0.code == .segmentsHeld })
        #expect(problem.hint?.contains("writer trust \(b) --key \(other.publicKey)") == true, "\(problem)")
        let check = try await replica.check(logs.path).problems.filter { $0.code == .segmentUntrusted }
        #expect(check.count == 2)
        #expect(check.allSatisfy { $0.hint?.hasPrefix("If this store has signed it with a key") == true }, "\(check)")
        // An administrator may know better, and names the key.
        await #expect(throws: SyncError.ownWriter(b)) {
            try await replica.service.setTrust(.trusted, of: b, key: nil)
        }
        try await replica.service.setTrust(.trusted, of: b, key: other.publicKey)
        #expect(try replica.employees(1...30) == [1, 11, 21])
    }

    @Test func aStoreTakesWhatItHasSignedWithALostKey() async throws {
        let before = try await replica()
        try before.save([SyncModel.insert(1)])
        try await before.service.exportNow()
        let lost = try #require(before.service.environment.trust.key)
        let label = try before.store.read { try $0.writers.own().store }
        try await before.stop()
        try FileManager.default.removeItem(atPath: "\(before.store.configuration.path)-key")
        let replica = try await SyncReplica(
            logs.path,
            wall: wall,
            folder: before.folder,
            signs: true,
            configure: { $0.trust = TrustSettings(mode: .known, pinsFirst: true) }
        )
        #expect(replica.service.signingKey?.publicKey != lost.publicKey)
        #expect(try replica.store.read { try $0.writers.own().store } == label)
        // A segment that only the log folder has, as after a restore.
        let former = text(b, 1...1, base: 10, store: label)
        try logs.put(former, signedBy: lost)
        #expect(try await held(former.name, replica) == nil)
        #expect(try replica.employees(1...30) == [1, 11])
        let forged = text(c, 1...1, base: 20, store: label)
        try logs.put(forged, signedBy: other)
        #expect(try await held(forged.name, replica)?.contains("is not a key of this store") == true)
    }

    /// A copy of the store may have its key, and has another label.
    @Test func theOwnKeyKeepsOthersFromTheStoresThatUseIt() throws {
        let batches = try batches()
        let own = try #require(batches.trust.key)
        for (writer, base) in [(a, 0), (b, 10)] as [(UniqueID, UInt64)] {
            let segment = LogsFolder.text(writer, 1...1, base: base)
            try logs.put(segment, signedBy: own)
            let batch = try batch(segment, batches)
            #expect(try batches.store.write { try batch.apply($0).0 }.finished == [segment.name])
            try batches.store.read { reader in
                #expect(try batches.trust.decide(writer, own.publicKey, reader) == .trusted)
                let foreign = try batches.trust.decide(writer, other.publicKey, reader)
                #expect(foreign != .first && foreign != .trusted)
                #expect(try PinnedKeys(reader).entries(of: writer).map(\.key) == [own.publicKey])
            }
        }
    }

    // MARK: One SQLite transaction

    private struct Batches {
        let folder: TemporaryFolder
        let store: Store
        let trust: StoreTrust
    }

    private func batches() throws -> Batches {
        let folder = try TemporaryFolder("pins")
        let store = try SyncModel.open(in: folder, wall: wall)
        let trust = try StoreTrust(of: store)
        trust.configure(TrustSettings(mode: .known, pinsFirst: true))
        return Batches(folder: folder, store: store, trust: trust)
    }

    private func batch(_ segment: SegmentText, _ batches: Batches) throws -> ImportBatch {
        let folder = try LogFolder(path: logs.path)
        let verified = try SegmentVerifier().verify(folder.open(segment.name), name: segment.name)
        return ImportBatch(
            readers: SegmentReaders(logs: folder, sliceChanges: 100, control: ImportControl()),
            items: [ImportBatch.Item(name: segment.name, segment: verified)],
            positions: [:],
            abandoned: [],
            trust: batches.trust,
            wall: wall.now
        )
    }

    private func pins(_ batches: Batches) throws -> [TrustList.Entry] {
        try batches.store.read { try PinnedKeys($0).entries() }
    }

    /// The pin and the segment are one step: neither is there without the other.
    @Test func aPinGoesWithTheTransactionThatFails() throws {
        let batches = try batches()
        let segment = LogsFolder.text(a, 1...2)
        try logs.put(segment, signedBy: key)
        let batch = try batch(segment, batches)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try batches.store.write { transaction in
                let result = try batch.apply(transaction).0
                #expect(result.finished == [segment.name])
                #expect(try PinnedKeys(transaction.reader).entries().map(\.key) == [key.publicKey])
                throw Stop()
            }
        }
        #expect(try pins(batches).isEmpty)
        let again = try self.batch(segment, batches)
        _ = try batches.store.write { try again.apply($0).0 }
        #expect(try pins(batches) == [.init(store: a, key: key.publicKey, state: .trusted, since: wall.now)])
    }

    /// Nothing of a segment is applied whose first transaction waits for one that nobody has.
    @Test func aSegmentThatWaitsInItsBatchPinsNothing() throws {
        let batches = try batches()
        let segment = LogsFolder.text(a, 1...2, seen: [1: [b: 1]])
        try logs.put(segment, signedBy: key)
        let batch = try batch(segment, batches)
        let result = try batches.store.write { try batch.apply($0).0 }
        #expect(result.unmet.keys.map(\.self) == [segment.name] && result.refused.isEmpty)
        #expect(try pins(batches).isEmpty)
        // A part of it is enough.
        let other = LogsFolder.text(a, 1...2, seen: [2: [b: 1]])
        try logs.put(other, signedBy: key)
        let part = try self.batch(other, batches)
        #expect(try batches.store.write { try part.apply($0).0 }.positions == [a: 1])
        #expect(try pins(batches).map(\.key) == [key.publicKey])
    }

    /// A decision between the reading of a segment and its application counts.
    @Test func aKeyIsDecidedAboutAgainWhenItsSegmentIsApplied() throws {
        let batches = try batches()
        let segment = LogsFolder.text(a, 1...2)
        try logs.put(segment, signedBy: key)
        var batch = try batch(segment, batches)
        try batches.trust.set(.revoked, [key.publicKey], of: a, at: 1)
        let result = try batches.store.write { try batch.apply($0).0 }
        #expect(result.refused == [segment.name] && result.positions.isEmpty)
        // An administrator may take the file all the same, which pins nothing.
        batch.accepted = [segment.name: batch.items[0].segment.end.sha256]
        #expect(try batches.store.write { try batch.apply($0).0 }.finished == [segment.name])
        #expect(try pins(batches).isEmpty)
    }

    /// A segment may have been read while signatures did not matter.
    @Test func aSignatureThatWasNotVerifiedPinsNothing() throws {
        let batches = try batches()
        let segment = LogsFolder.text(a, 1...1)
        let moved = key.sign(SignedText.of(LogsFolder.text(b, 1...1).name.path, segment.sha256))
        try logs.put(segment.body + segment.endLine(of: segment.body, signature: moved), at: segment.name)
        let batch = try batch(segment, batches)
        #expect(try batches.store.write { try batch.apply($0).0 }.refused == [segment.name])
        #expect(try pins(batches).isEmpty)
    }

    /// Instructions of SQLite to decide about the keys of new stores and to pin them; nothing else grows with the stores.
    @Test func pinningCostsTheSameForEachStore() throws {
        let counts = try [1_000, 2_000, 4_000].map { count -> Int in
            let batches = try batches()
            var steps = 0
            try batches.store.write { transaction in
                try transaction.reportingProgress(every: 1, { steps += 1 }) {
                    let pins = PinnedKeys(transaction.reader)
                    for number in 1...UInt64(count) {
                        let (store, key) = (LogsFolder.writer(number), SigningKey.generate().publicKey)
                        #expect(try batches.trust.decide(store, key, transaction.reader) == .first)
                        try pins.pin(key, to: store, at: 1)
                    }
                }
            }
            // No file is written for a pin.
            let files = try FileManager.default.contentsOfDirectory(atPath: batches.folder.path)
            #expect(!files.contains { $0.contains("-trust") })
            #expect(try self.pins(batches).count == count)
            return steps
        }
        #expect(counts[0] > 0)
        // A quadratic cost would be four times as great.
        #expect(counts[1] <= 3 * counts[0] && counts[2] <= 3 * counts[1], "\(counts)")
    }
}
