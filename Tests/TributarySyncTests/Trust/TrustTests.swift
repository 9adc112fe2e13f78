import Dispatch
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// Whose files a store takes: the list of keys, its files, and what is held because of it.
@Suite(.watcherTurns) struct TrustTests {
    private let logs: LogsFolder
    private let wall = SyncWall()
    private let a = LogsFolder.writer(1)
    private let b = LogsFolder.writer(2)
    private let key = SigningKey.generate()
    private let other = SigningKey.generate()

    init() throws { logs = try LogsFolder() }

    private func replica(pinsFirst: Bool = false, keys: [PublicKey] = []) async throws -> SyncReplica {
        try await SyncReplica(
            logs.path,
            wall: wall,
            signs: true,
            configure: { $0.trust = TrustSettings(mode: .known, pinsFirst: pinsFirst, keys: keys) }
        )
    }

    /// The state of a segment that is not simply applied, with its reason.
    private func held(_ name: SegmentName, _ replica: SyncReplica) async throws -> String? {
        try await replica.service.importAll()
        let status = try await replica.service.segment(name)
        return status?.state == .held ? status?.reason : nil
    }

    // MARK: The list

    @Test func theListDecidesByStoreAndKey() throws {
        let settings = TrustSettings(mode: .known)
        var list = TrustList()
        func isTaken(_ store: UniqueID, _ key: SigningKey, _ settings: TrustSettings = settings) -> Bool {
            list.decide(store, key.publicKey, by: settings) == .trusted
        }
        #expect(!isTaken(a, key))
        list.set(.trusted, key.publicKey, of: a, at: 1)
        #expect(isTaken(a, key) && !isTaken(a, other))
        // The key of one store is not that of another one.
        #expect(!isTaken(b, key))
        // At first sight only a store without any key gets one.
        let listed = TrustSettings(mode: .known, keys: [other.publicKey])
        #expect(list.decide(b, other.publicKey, by: listed) == .first)
        #expect(list.decide(a, other.publicKey, by: listed) != .first)
        let first = TrustSettings(mode: .known, pinsFirst: true)
        #expect(list.decide(b, other.publicKey, by: first) == .first)
        #expect(list.decide(a, other.publicKey, by: first) != .first)
        // Or one that has changed its key, when both are listed.
        let both = TrustSettings(mode: .known, keys: [key.publicKey, other.publicKey])
        #expect(list.decide(a, other.publicKey, by: both) == .first)
        // A listed key is that of one store.
        var listedOnce = list
        listedOnce.set(.trusted, other.publicKey, of: b, at: 1)
        let third = LogsFolder.writer(3)
        for store in [third, a] { #expect(listedOnce.decide(store, other.publicKey, by: both) != .first) }
        // A revoked key is revoked everywhere, and its store gets no other one by itself.
        list.set(.revoked, key.publicKey, of: a, at: 2)
        #expect(!isTaken(a, key) && !isTaken(b, key, first))
        for settings in [first, both] { #expect(list.decide(a, other.publicKey, by: settings) != .first) }
        #expect(try TrustList.read(list.text).list == list)
    }

    @Test func pinsCountLikeTheKeysOfTheList() {
        var list = TrustList()
        let first = TrustSettings(mode: .known, pinsFirst: true)
        let pinned = PinnedKeys.Finding(owner: a, keys: [key.publicKey])
        #expect(list.decide(a, key.publicKey, pinned: pinned, by: first) == .trusted)
        #expect(list.decide(b, key.publicKey, pinned: .init(owner: a), by: first) != .first)
        #expect(list.decide(a, other.publicKey, pinned: .init(keys: [key.publicKey]), by: first) != .first)
        let both = TrustSettings(mode: .known, keys: [key.publicKey, other.publicKey])
        #expect(list.decide(a, other.publicKey, pinned: .init(keys: [key.publicKey]), by: both) == .first)
        // What an administrator has revoked is no store's key, whatever is pinned.
        list.set(.revoked, key.publicKey, of: a, at: 2)
        #expect(list.decide(a, key.publicKey, pinned: pinned, by: first) != .trusted)
        for settings in [first, both] {
            #expect(list.decide(a, other.publicKey, pinned: .init(keys: [key.publicKey]), by: settings) != .first)
        }
        // Also when it was revoked as the key of another store.
        var elsewhere = TrustList()
        elsewhere.set(.revoked, key.publicKey, of: b, at: 2)
        #expect(elsewhere.decide(a, key.publicKey, pinned: pinned, by: first) != .trusted)
        #expect(elsewhere.decide(a, other.publicKey, pinned: .init(keys: [key.publicKey]), by: first) != .first)
    }

    /// A list whose end line is missing, or is that of other keys, is recognized.
    @Test func theListEndsWithTheNumberAndTheHashOfItsKeys() throws {
        var list = TrustList()
        list.set(.trusted, key.publicKey, of: a, at: 1)
        list.set(.revoked, other.publicKey, of: b, at: 2)
        let lines = list.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        let whole = try TrustList.read(list.text)
        #expect(whole.end.isRight && whole.end.found == lines[2] && whole.list == list)
        // Cut at a line, without its first line, and with its lines in another order.
        let other = [lines[1], lines[0], lines[2]]
        for part in [lines[0..<2], lines[0..<1], lines[1...2], other[...], []] {
            let text = part.joined(separator: "\n")
            let read = try TrustList.read(text)
            #expect(!read.end.isRight, "\(text)")
            // The right end line can be appended as it is.
            let mended = try TrustList.read("\(text)\n\(read.end.right)\n")
            #expect(mended.end.isRight && mended.list == read.list)
        }
        // A line that follows the end line.
        #expect(try !TrustList.read(list.text + lines[0] + "\n").end.isRight)
        // Of two lines of a key the revocation counts, in each order.
        let revoked = lines[0].replacing("trusted", with: "revoked")
        for text in ["\(lines[0])\n\(revoked)", "\(revoked)\n\(lines[0])"] {
            #expect(try TrustList.read(text).list.isRevoked(key.publicKey))
        }
        let error = #expect(throws: JSONError.self) { try TrustList.read("\(lines[0])\n\n{\"store\"") }
        #expect(error?.reason.hasPrefix("line 3 is not JSON") == true)
    }

    @Test func theListOfTheArticleIsOne() throws {
        let example = try #require(Article("Trust").block(after: "<!-- list: example -->"))
        let read = try TrustList.read(example)
        #expect(read.end.isRight && read.list.entries.map(\.state) == [.trusted])
        #expect(read.list.text.split(separator: "\n") == example.split(separator: "\n"))
    }

    @Test func theKeyFileIsKeptAndChecked() throws {
        let folder = try TemporaryFolder("trust")
        let store = try SyncModel.open(in: folder, wall: wall)
        let path = store.configuration.path
        let trust = try StoreTrust(of: store)
        let mode = try FileManager.default.attributesOfItem(atPath: "\(path)-key")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try StoreTrust(of: store).key?.publicKey == trust.key?.publicKey)
        // A key that others than the daemon's user may use.
        for (change, help) in [(0o640, "chmod 600 \(path)-key"), (0o604, "chmod 600 \(path)-key")] {
            #expect(chmod("\(path)-key", mode_t(change)) == 0)
            let error = #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
            #expect(error?.description.hasSuffix(help) == true, "\(String(describing: error))")
        }
        #expect(chmod("\(path)-key", 0o400) == 0)
        #expect(try StoreTrust(of: store).key?.publicKey == trust.key?.publicKey)
        // Only root can give it to somebody else.
        if geteuid() == 0 {
            #expect(chown("\(path)-key", 12_345, 0) == 0)
            let error = #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
            #expect(error?.description.hasSuffix("chown 0 \(path)-key") == true, "\(String(describing: error))")
            #expect(chown("\(path)-key", 0, 0) == 0)
        }
        try FileManager.default.removeItem(atPath: "\(path)-key")
        try folder.write("no key", to: "store.sqlite-key")
        #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
    }

    /// Runs the command that an error ends with.
    private func run(_ reason: String?) throws {
        let typed = try #require(reason?.split(separator: ": ").last)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "umask 022; \(typed)"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(typed)")
    }

    /// Writes the list of a store, as a person does.
    private func write(_ list: String, in folder: TemporaryFolder) throws {
        try folder.write(list, to: "store.sqlite-trust")
        guard chmod(folder.path("store.sqlite-trust"), 0o644) == 0 else { throw POSIXError(.EIO) }
    }

    @Test func theListIsCheckedLikeAKey() throws {
        let folder = try TemporaryFolder("trust")
        let store = try SyncModel.open(in: folder, wall: wall)
        let path = "\(store.configuration.path)-trust"
        func refusal() -> String? {
            let error = #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
            #expect(error?.path == path)
            // A doctor finds the same.
            let found = #expect(throws: KeyFileError.self) {
                try StoreTrust.examine(besideStore: store.configuration.path)
            }
            #expect(found == error)
            return error?.reason
        }
        let trust = try StoreTrust(of: store)
        #expect(!FileManager.default.fileExists(atPath: path))
        try trust.set(.trusted, [key.publicKey], of: a, at: 7)
        try trust.set(.revoked, [other.publicKey], of: b, at: 8)
        let again = try StoreTrust(of: store)
        #expect(again.list == trust.list && again.list.count == 2)
        try StoreTrust.examine(besideStore: store.configuration.path)
        for (mode, isRight) in [(0o644, true), (0o640, true), (0o400, true), (0o660, false), (0o602, false)] {
            #expect(chmod(path, mode_t(mode)) == 0)
            if isRight {
                #expect(try StoreTrust(of: store).list == trust.list)
            } else {
                #expect(refusal()?.hasSuffix("chmod 644 \(path)") == true)
            }
        }
        #expect(chmod(path, 0o600) == 0)
        if geteuid() == 0 {
            #expect(chown(path, 12_345, 0) == 0)
            #expect(refusal()?.hasSuffix("chown 0 \(path)") == true)
            #expect(chown(path, 0, 0) == 0)
        }
        try FileManager.default.moveItem(atPath: path, toPath: "\(path).moved")
        #expect(symlink("\(path).moved", path) == 0)
        #expect(refusal()?.hasPrefix("it is a link; the file itself must be here: cp -p ") == true)
        try run(refusal())
        #expect(try StoreTrust(of: store).list == trust.list)
        #expect(unlink("\(path).moved") == 0)
        for make in [{ mkfifo(path, 0o600) }, { mkdir(path, 0o700) }] {
            #expect(remove(path) == 0 && make() == 0)
            #expect(
                refusal()?.hasPrefix("it is not a regular file. Put a copy of the key file there, after: mv ") == true
            )
        }
        try run(refusal())
        let large = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(ftruncate(large, 33 << 20) == 0 && close(large) == 0)
        #expect(refusal()?.hasPrefix("it has more than") == true)
        #expect(unlink(path) == 0)
        try write("{}\n", in: folder)
        #expect(refusal()?.contains("line 1 is not a key") == true)
    }

    /// An emptied file would be a list without revocations.
    @Test func aListThatIsMissedIsAnErrorThatSaysWhatToType() throws {
        let folder = try TemporaryFolder("trust")
        let store = try SyncModel.open(in: folder, wall: wall)
        let path = "\(store.configuration.path)-trust"
        let trust = try StoreTrust(of: store)
        try trust.set(.trusted, [key.publicKey], of: a, at: 7)
        try trust.set(.revoked, [other.publicKey], of: b, at: 8)
        // The start after a stop between the file and the record of it completes the record.
        #expect(try store.read { try $0.setting(StoreKeys.trust) } == nil)
        _ = try StoreTrust(of: store)
        #expect(try store.read { try $0.setting(StoreKeys.trust) } == "1")
        let whole = try String(contentsOfFile: path, encoding: .utf8)
        let lines = whole.split(separator: "\n").map(String.init)
        let texts: [String?] = [
            nil, "", lines[0], lines[0..<2].joined(separator: "\n"), lines[1...2].joined(separator: "\n"),
        ]
        for text in texts {
            try FileManager.default.removeItem(atPath: path)
            if let text { try write(text, in: folder) }
            let error = #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
            #expect(error?.path == path)
            #expect(error?.reason.contains(": printf ") == true, "\(String(describing: error))")
            if text == nil { #expect(error?.reason.hasPrefix("the file is missing") == true) }
            // It does what it says.
            try run(error?.reason)
            #expect(try StoreTrust(of: store).list == TrustList.read(text ?? "").list)
        }
    }

    /// What an earlier version has written, or a person, has no end line.
    @Test func aListOfAnEarlierVersionGetsAnEndLine() throws {
        let folder = try TemporaryFolder("trust")
        let store = try SyncModel.open(in: folder, wall: wall)
        var list = TrustList()
        list.set(.trusted, key.publicKey, of: a, at: 1)
        list.set(.revoked, other.publicKey, of: b, at: 2)
        let former = list.text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        try write(former, in: folder)
        #expect(try StoreTrust(of: store).list == list)
        #expect(try String(contentsOfFile: folder.path("store.sqlite-trust"), encoding: .utf8) == list.text)
        // From then on it has to have one.
        try write(former, in: folder)
        #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
    }

    /// An earlier version has pinned any first key, so that whoever had written a segment could stop a later start.
    @Test func aKeyOfSmallOrderInAListHasNoEffect() throws {
        let folder = try TemporaryFolder("trust")
        let store = try SyncModel.open(in: folder, wall: wall)
        var list = TrustList()
        list.set(.revoked, other.publicKey, of: b, at: 2)
        let former = try #require(list.text.split(separator: "\n").first)
        let small = "01" + String(repeating: "00", count: 31)
        let line = #"{"store":"\#(a)","key":"\#(small)","state":"trusted","since":1}"#
        try write("\(line)\n\(former)\n", in: folder)
        let journal = JournalRecorder()
        for _ in 0..<2 { #expect(try StoreTrust(of: store, logger: journal.logger).list == list) }
        #expect(journal.entries.map(\.values["line"]) == ["1"] && journal.entries.map(\.values["key"]) == [small])
        #expect(journal.entries.first?.message.contains("has no effect") == true)
        #expect(try String(contentsOfFile: folder.path("store.sqlite-trust"), encoding: .utf8) == list.text)
        // What is no key at all is an error as before.
        try write(line.replacing(small, with: "01"), in: folder)
        let error = #expect(throws: KeyFileError.self) { try StoreTrust(of: store) }
        #expect(error?.reason.contains("line 1 is not a key") == true)
    }

    // MARK: Segments

    @Test func onlyWhatATrustedKeyHasSignedIsApplied() async throws {
        let replica = try await replica()
        let first = LogsFolder.text(a, 1...1)
        try logs.put(first, signedBy: nil)
        #expect(try await held(first.name, replica) == "It is not signed.")
        #expect(replica.service.status.problems.map(\.code) == [.segmentsHeld])
        try logs.put(first, signedBy: key)
        #expect(try await held(first.name, replica)?.hasPrefix("Nobody has trusted key \(key.publicKey)") == true)
        #expect(try replica.employees(1...9) == [])
        try await replica.service.setTrust(.trusted, of: a, key: nil)
        #expect(try replica.employees(1...9) == [1])
        #expect(replica.service.status.problems.isEmpty)
        // Another key of the same writer, or a signature of another file.
        let second = LogsFolder.text(a, 2...2)
        try logs.put(second, signedBy: other)
        #expect(try await held(second.name, replica)?.contains("is known by key \(key.publicKey)") == true)
        let moved = key.sign(SignedText.of(first.name.path, second.sha256))
        try logs.put(second.body + second.endLine(of: second.body, signature: moved), at: second.name)
        #expect(try await held(second.name, replica)?.contains("does not match key \(key.publicKey)") == true)
        // What is forged keeps nothing back that is not.
        try logs.put(LogsFolder.text(a, 2...3), signedBy: key)
        #expect(try await held(second.name, replica) == nil)
        #expect(try replica.employees(1...9) == [1, 2, 3])
        // A file that an administrator has looked at.
        let fourth = LogsFolder.text(a, 4...4)
        try logs.put(fourth, signedBy: nil)
        #expect(try await held(fourth.name, replica) != nil)
        try await replica.service.accept(fourth.name)
        #expect(try replica.employees(1...9) == [1, 2, 3, 4])
    }

    @Test func aRevokedKeyCountsNoMore() async throws {
        let replica = try await replica(pinsFirst: true)
        let (first, second) = (LogsFolder.text(a, 1...1), LogsFolder.text(a, 2...2))
        try logs.put(first, signedBy: key)
        #expect(try await held(first.name, replica) == nil)
        #expect(try replica.service.keys(of: a).map(\.key) == [key.publicKey])
        try await replica.service.setTrust(.revoked, of: a, key: nil)
        try logs.put(second, signedBy: key)
        #expect(try await held(second.name, replica) == "Its key \(key.publicKey) is revoked.")
        try logs.put(LogsFolder.text(b, 1...1, base: 10), signedBy: key)
        try await replica.service.importAll()
        #expect(try replica.employees(1...20) == [1])
        try await replica.service.setTrust(.trusted, of: a, key: other.publicKey)
        try logs.put(second, signedBy: other)
        #expect(try await held(second.name, replica) == nil)
        #expect(try replica.employees(1...20) == [1, 2])
        await #expect(throws: SyncError.ownWriter(replica.own)) {
            try await replica.service.setTrust(.revoked, of: replica.own, key: nil)
        }
    }

    /// Nothing of the store has come yet: its keys are known from the administrator alone.
    @Test func theKeysOfAStoreThatHasSentNothingAreRevoked() async throws {
        let replica = try await replica()
        try await replica.service.setTrust(.trusted, of: a, key: key.publicKey)
        try await replica.service.setTrust(.revoked, of: a, key: nil)
        let segment = LogsFolder.text(a, 1...1)
        try logs.put(segment, signedBy: key)
        #expect(try await held(segment.name, replica) == "Its key \(key.publicKey) is revoked.")
    }

    /// What was read before a key is trusted is read again: what was found then counts for nothing.
    @Test func aVerdictFromBeforeADecisionIsDropped() async throws {
        let reading = HeldReading()
        let replica = try await SyncReplica(
            logs.path,
            wall: wall,
            signs: true,
            control: ImportControl(work: WorkMeter { reading.step() }),
            configure: { $0.trust = TrustSettings(mode: .known) }
        )
        let (service, a, key) = (replica.service, self.a, self.key)
        let (first, second) = (LogsFolder.text(a, 1...1), LogsFolder.text(a, 2...2))
        // Both are read together: while the second one is open, the first one has been decided about.
        let folder = URL(fileURLWithPath: logs.path).resolvingSymlinksInPath().path
        let path = "\(folder)/\(second.name.path)"
        reading.hold(after: { isOpen(path) })
        defer { reading.release() }
        // Both come at once.
        let other = try LogsFolder()
        for segment in [first, second] { try other.put(segment, signedBy: key) }
        try FileManager.default.moveItem(atPath: "\(other.path)/\(a)", toPath: "\(logs.path)/\(a)")
        async let imported: Void = service.importAll()
        await reading.held()
        async let trusted: Void = service.setTrust(.trusted, of: a, key: key.publicKey)
        while service.state.read(\.trustGeneration) == 0 { await Task.yield() }
        reading.release()
        try await imported
        try await trusted
        #expect(try await held(first.name, replica) == nil)
        #expect(try replica.employees(1...9) == [1, 2])
    }

    /// A list that cannot be written stays as it is.
    @Test func aKeyThatCannotBeKeptIsNotTrusted() async throws {
        let replica = try await replica()
        // In the place of the list; no file replaces a folder, not even for root.
        let obstacle = "\(replica.store.configuration.path)-trust"
        try replica.folder.write("x", to: "\((obstacle as NSString).lastPathComponent)/obstacle")
        try logs.put(LogsFolder.text(a, 1...1), signedBy: key)
        try await replica.service.importAll()
        let error = await #expect(throws: KeyFileError.self) {
            try await replica.service.setTrust(.trusted, of: a, key: key.publicKey)
        }
        #expect(error?.path == obstacle)
        #expect(try replica.service.keys(of: a).isEmpty)
        try await replica.service.importAll()
        #expect(try replica.employees(1...9) == [])
        try FileManager.default.removeItem(atPath: obstacle)
        try await replica.service.setTrust(.trusted, of: a, key: key.publicKey)
        #expect(try replica.employees(1...9) == [1])
        #expect(try replica.service.keys(of: a).map(\.key) == [key.publicKey])
        #expect(try replica.store.read { try $0.setting(StoreKeys.trust) } == "1")
    }

    /// A check takes what nobody trusts neither for the store nor against it, and tells it.
    @Test func aCheckTellsWhatNobodyTrusts() async throws {
        let replica = try await replica()
        try await replica.service.setTrust(.trusted, of: a, key: key.publicKey)
        let first = LogsFolder.text(a, 1...1)
        try logs.put(first, signedBy: key)
        try await replica.service.importAll()
        let clean = try await replica.check(logs.path)
        #expect(clean.ok && clean.comparison.result == "equal" && clean.untrusted == 0)
        // Not applied.
        let (unsigned, unknown) = (LogsFolder.text(a, 2...2), LogsFolder.text(b, 1...1, base: 10))
        try logs.put(unsigned, signedBy: nil)
        try logs.put(unknown, signedBy: other)
        let held = try await replica.check(logs.path)
        #expect(held.problems.map(\.code) == [.segmentUntrusted, .segmentUntrusted])
        #expect(held.problems.map(\.writer) == [a, b])
        #expect(held.problems.first?.hint?.hasSuffix("tributaryctl segment accept \(unsigned.name.path)") == true)
        #expect(held.problems.last?.hint?.contains("writer trust \(b) --key \(other.publicKey)") == true)
        #expect(held.comparison.result == "equal")
        try await replica.service.importAll()
        try await replica.service.accept(unsigned.name)
        try FileManager.default.removeItem(atPath: "\(logs.path)/\(unknown.name.path)")
        let accepted = try await replica.check(logs.path)
        #expect(accepted.ok && accepted.untrusted == 1, "\(accepted)")
        // Another file in the place of the one that was applied.
        try logs.put(LogsFolder.text(a, 1...1, base: 50), signedBy: nil)
        let replaced = try await replica.check(logs.path)
        #expect(replaced.problems.map(\.code) == [.segmentUntrusted], "\(replaced)")
        let detail = replaced.problems.first?.detail
        #expect(detail?.contains("It is not signed. It differs from the applied segment") == true)
        #expect(replaced.comparison.result == "impossible")
        try logs.put(LogsFolder.text(a, 1...1, base: 50), signedBy: key)
        #expect(try await replica.check(logs.path).problems.map(\.code) == [.segmentChanged])
        // What a revoked key has signed stays what the store has applied.
        try logs.put(first, signedBy: key)
        try await replica.service.setTrust(.revoked, of: a, key: nil)
        let revoked = try await replica.check(logs.path)
        #expect(revoked.ok && revoked.untrusted == 2 && revoked.comparison.result == "equal", "\(revoked)")
    }

    /// A store knows its own writers from before; a header that names another store is not believed.
    @Test func aHeaderTakesNoOtherStoresPlace() async throws {
        let replica = try await replica(pinsFirst: true)
        try logs.put(LogsFolder.text(a, 1...1), signedBy: key)
        try logs.put(LogsFolder.text(b, 1...1, base: 10), signedBy: other)
        try await replica.service.importAll()
        #expect(try replica.employees(1...20) == [1, 11])
        var forged = LogsFolder.text(a, 2...2)
        forged.lines[0] =
            SegmentHeader(writer: a, first: 2, last: 2, incarnation: Incarnation(store: b)).line
        try logs.put(forged, signedBy: other)
        #expect(try await held(forged.name, replica)?.contains("known by key \(key.publicKey)") == true)
    }

    /// Also when all of it is there before anything of the writer is applied.
    @Test func aHeaderTakesNoOtherStoresPlaceInOneBatch() async throws {
        try logs.put(LogsFolder.text(b, 1...1, base: 10), signedBy: other)
        try logs.put(LogsFolder.text(a, 1...1), signedBy: key)
        var forged = LogsFolder.text(a, 2...2)
        forged.lines[0] = SegmentHeader(writer: a, first: 2, last: 2, incarnation: Incarnation(store: b)).line
        try logs.put(forged, signedBy: other)
        let replica = try await replica(pinsFirst: true)
        #expect(try await held(forged.name, replica)?.contains("known by key \(key.publicKey)") == true)
        #expect(try replica.employees(1...20) == [1, 11])
        let right = LogsFolder.text(a, 2...3)
        try logs.put(right, signedBy: key)
        #expect(try await held(right.name, replica) == nil)
        #expect(try replica.employees(1...20) == [1, 2, 3, 11])
    }

    /// What is held keeps no baseline from being joined that covers it.
    @Test func whatNobodyTrustsIsAsGoodAsMissing() async throws {
        let settings = TrustSettings(mode: .known, pinsFirst: true)
        let group = try await CompactingReplicas.filled(2, trust: settings)
        try await group.compactAndPrune()
        for replica in group.replicas {
            #expect(!group.logs.segments(of: replica.own).contains { $0.first == 1 })
            try group.logs.put(LogsFolder.text(replica.own, 1...1, base: 50), signedBy: nil)
        }
        let new = try await group.add(trust: settings)
        for _ in 0..<2 { try await group.exchange() }
        #expect(try new.employees(1...99) == [1, 2])
    }

    /// What the store would not apply says nothing against a baseline.
    @Test func aCompactionComparesNothingWithWhatNobodyTrusts() async throws {
        let group = try CompactingReplicas()
        let one = try await group.add(trust: TrustSettings(mode: .known))
        for number in 1...3 {
            try one.save([SyncModel.insert(UInt64(number))])
            try await group.exchange()
        }
        #expect(group.logs.segments(of: one.own).map(\.last) == [1, 2, 3])
        try group.logs.put(LogsFolder.text(one.own, 1...5, base: 50), signedBy: nil)
        let report = try await group.compact(one)
        #expect(report.verification == .verified(try #require(report.cut)), "\(report)")
    }

    @Test func anotherModeLooksAtAllThatIsHeld() async throws {
        let replica = try await replica()
        let first = LogsFolder.text(a, 1...1)
        try logs.put(first, signedBy: nil)
        #expect(try await held(first.name, replica) != nil)
        var configuration = replica.service.state.configuration
        configuration.trust.mode = .any
        replica.service.reconfigure(configuration)
        #expect(try await held(first.name, replica) == nil)
        #expect(try replica.employees(1...9) == [1])
    }

    /// Other settings take effect at once, whether the keys stay as they are or not.
    @Test func aShorterIntervalOfAcknowledgementsIsTakenAtOnce() async throws {
        let replica = try await SyncReplica(logs.path, wall: wall)
        try logs.put(LogsFolder.text(a, 1...1), signedBy: nil)
        try await replica.service.importAll()
        #expect(logs.segments(of: replica.own).isEmpty)
        wall.advance(milliseconds: 10)
        var configuration = replica.service.state.configuration
        (configuration.acknowledge, configuration.exportDebounce) = (.milliseconds(1), .milliseconds(1))
        replica.service.reconfigure(configuration)
        while logs.segments(of: replica.own).isEmpty { await Task.yield() }
    }

    // MARK: Baselines

    @Test func baselinesAndComparisonsAreSignedToo() async throws {
        let settings = TrustSettings(mode: .known, pinsFirst: true)
        let group = try await CompactingReplicas.filled(2, trust: settings)
        try await group.compactAndPrune()
        try await group.exchange()
        let known = group.replicas[0].service.state.read(\.knownBaselines)
        #expect(!known.verified.isEmpty && known.refused.isEmpty)
        let third = try await group.add(trust: settings)
        try await group.exchange()
        #expect(try group.digests().count == 1)
        // What comes with a baseline is imported as well.
        let positions = try group.replicas.prefix(2).map { Int(try third.position($0.own)) }
        #expect(third.service.status.imported.transactions == positions.reduce(0, +))
        #expect(third.service.activity.meters.imported == third.service.status.imported)
        #expect(third.service.status.lastImport != nil)
        // A baseline pins nobody's key, the first segment does.
        try group.replicas[0].save([SyncModel.update(1, "name", .string("Bob"))])
        try await group.exchange()
        #expect(try third.service.keys(of: group.replicas[0].own).count == 1)
        // One that pins nothing joins nothing before it is told whom to trust.
        let fourth = try await group.add(trust: TrustSettings(mode: .known))
        try await group.exchange()
        #expect(try fourth.employees(1...2) == [])
        let refused = fourth.service.state.read(\.knownBaselines.refused.values)
        #expect(refused.contains { $0.reason.hasPrefix("Nobody has trusted key") })
        let check = try await fourth.check(group.logs.path)
        let codes = Set(check.problems.map(\.code))
        #expect(codes == [.segmentUntrusted, .baselineRefused, .comparisonRefused], "\(check)")
        #expect(check.problems.allSatisfy { $0.hint?.contains("tributaryctl writer trust") == true })
        for replica in group.replicas.prefix(3) {
            try await fourth.service.setTrust(.trusted, of: replica.own, key: replica.service.signingKey?.publicKey)
        }
        try await group.exchange()
        #expect(try fourth.employees(1...2) == [1, 2])
        #expect(try group.digests().count == 1)
    }

    /// An endorsement that nobody has signed removes nothing.
    @Test func anUnsignedEndorsementCountsForNothing() async throws {
        let group = try await CompactingReplicas.filled(2, trust: TrustSettings(mode: .known, pinsFirst: true))
        let (one, two) = (group.replicas[0], group.replicas[1])
        let report = try await group.compact(one)
        let name = try #require(report.cut)
        try await one.service.importAll()
        let baselines = one.service.state.read(\.knownBaselines.baselines)
        let baseline = try #require(baselines.values.first)
        #expect(baseline.name == name)
        let forged = BaselineComparison(
            BaselineComparison.Name(writer: two.own, of: baseline.name),
            sha256: baseline.sha256,
            difference: nil
        )
        try group.logs.put(Array((forged.line + "\n").utf8), at: forged.name.path)
        try await one.service.importAll()
        #expect(one.service.state.read(\.knownBaselines.verified).isEmpty)
        let told = try #require(one.service.status.problems.first)
        #expect(told.code == .comparisonRefused && told.writer == two.own && told.detail.hasSuffix("It is not signed."))
        #expect(try await one.check(group.logs.path).problems.map(\.code) == [.comparisonRefused])
        let signed = forged.signed(by: try #require(two.service.environment.trust.key), of: two.own)
        try group.logs.put(Array((signed.line + "\n").utf8), at: forged.name.path)
        try await one.service.importAll()
        #expect(one.service.state.read(\.knownBaselines.verified).map(\.name) == [baseline.name])
        #expect(one.service.status.problems.isEmpty)
    }
}

/// Whether the process has opened the file.
private func isOpen(_ path: String) -> Bool {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.contains { number in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?.hasSuffix(path) == true
    }
}

/// Holds the thread of an import at its next step after a condition, until it is released.
private final class HeldReading: Sendable {
    private struct State {
        var condition: (@Sendable () -> Bool)?
        var isReleased = false
    }

    private let state = Mutex(State())
    private let goesOn = DispatchSemaphore(value: 0)
    private let (reports, report) = AsyncStream<Void>.makeStream()

    func hold(after condition: @escaping @Sendable () -> Bool) { state.withLock { $0.condition = condition } }

    /// The clock of the import's meter, which asks for the time at each step.
    func step() -> Duration {
        guard let condition = state.withLock(\.condition), condition() else { return .zero }
        let isFirst = state.withLock { state in
            defer { state.condition = nil }
            return state.condition != nil && !state.isReleased
        }
        if isFirst {
            report.finish()
            goesOn.wait()
        }
        return .zero
    }

    /// Returns when the import is held.
    func held() async { for await _ in reports {} }

    func release() {
        let isFirst = state.withLock { state in
            defer { state.isReleased = true }
            return !state.isReleased
        }
        if isFirst { goesOn.signal() }
    }
}
