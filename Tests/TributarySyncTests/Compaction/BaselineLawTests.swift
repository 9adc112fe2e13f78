import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributarySync

/// Random histories: a store with a later state endorses every right baseline, and none that leads to another state.
///
/// A store that lacks a part of the baseline finds no contradiction in a right one, and each wrong write that it knows.
@Suite(.timeLimit(.minutes(60))) struct BaselineLawTests {
    @Test func aStoreWithALaterStateVerifiesABaseline() throws {
        let first = SeededGenerator.printingSeed().seed
        var tally = LawTrial.Tally()
        for round in LongProofs.rounds(40) {
            let seed = first &+ UInt64(round)
            do {
                try LawTrial(seed: seed).run(&tally)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        print(tally)
        #expect(tally.accepted > tally.open)
        #expect(tally.corruptions["totals of zero"].map { $0[0] } == 0, "\(tally)")
        #expect(tally.beside.accepted > 0 && tally.beside.wrong[0] > 0)
        // Deferred writes, and transactions with such writes, have no cells that the log could contradict.
        #expect(tally.own.found > 4 * tally.own.missed.values.reduce(0, +), "\(tally)")
    }

    @Test func theLogFolderShowsAWriteThatNoSegmentHas() throws {
        let (person, project) = (SimulationModel.ids(of: "Person"), SimulationModel.ids(of: "Project"))
        let trial = try LawTrial([
            Change(entity: "Person", id: person[0], operation: .insert([])),
            Change(entity: "Project", id: project[0], operation: .insert([])),
        ])
        let age = PropertyWrite(name: "age", value: .integer(1))
        let changes = [
            Change(entity: "Person", id: person[1], operation: .insert([])),
            Change(entity: "Person", id: person[0], operation: .update([age])),
            Change(
                entity: "Project",
                id: project[0],
                operation: .link(to: "members", ids: [person[0]], positions: ["a"])
            ),
        ]
        for (number, invented) in changes.enumerated() {
            let verdict = try trial.verdictOfMaker(adding: invented, number)
            guard case .differs? = verdict else {
                Issue.record("\(invented): \(String(describing: verdict))")
                continue
            }
        }
    }

    /// One shows zero, the other its default.
    ///
    /// A model that does not know the counter cannot say that the baseline is wrong.
    @Test(arguments: [("tally", true), ("nobodyKnows", false)])
    func aCounterWithATotalOfZeroIsNotOneWithoutTotals(name: String, isKnown: Bool) throws {
        let person = try #require(SimulationModel.ids(of: "Person").first)
        let count = PropertyWrite(name: name, value: JSONValue(increment: .integer(0)))
        let trial = try LawTrial([Change(entity: "Person", id: person, operation: .insert([count]))])
        let verdict = try trial.verdictWithoutCounters()
        switch verdict {
        case .differs where isKnown, .open where !isKnown: break
        default: Issue.record("\(verdict)")
        }
    }

    /// A file may repeat a line as often as it likes.
    @Test func aRepeatedLineOfABaselineIsComparedAsOneCell() throws {
        let person = try #require(SimulationModel.ids(of: "Person").first)
        func update(_ name: String, _ value: Int64) -> Change {
            let write = PropertyWrite(name: name, value: .integer(value))
            return Change(entity: "Person", id: person, operation: .update([write]))
        }
        let insert = Change(entity: "Person", id: person, operation: .insert([]))
        let trial = try LawTrial([insert, update("age", 1), update("nobodyKnows", 1)])
        let many = Array(repeating: update("age", 1), count: 10_000)
        #expect(try trial.verdict(adding: []) == .sound)
        #expect(try trial.verdict(adding: many) == .sound)
        for other in [[update("age", 2)] + many, many + [update("age", 2)], many + [update("age", 2)] + many] {
            guard case .differs(let text) = try trial.verdict(adding: other) else {
                Issue.record("a cell with two values is endorsed")
                continue
            }
            #expect(text.hasSuffix("is written twice in one state."), "\(text)")
        }
        // Each of the writes that the model lacks may have an effect in another version.
        let verdict = try trial.verdict(adding: [update("nobodyKnows", 1)])
        guard case .open = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    /// The store keeps one of them, and the log has all.
    @Test func aTransactionMayWriteACellManyTimes() throws {
        let person = try #require(SimulationModel.ids(of: "Person").first)
        let updates = (1...1_000 as ClosedRange<Int64>).map { age in
            let write = PropertyWrite(name: "age", value: .integer(age))
            return Change(entity: "Person", id: person, operation: .update([write]))
        }
        let trial = try LawTrial([Change(entity: "Person", id: person, operation: .insert([]))] + updates)
        #expect(try trial.verdict(adding: []) == .sound)
    }
}

/// A history of a few writers, a baseline of a part of it, and a store that has more.
private struct LawTrial {
    struct Tally: CustomStringConvertible {
        var (accepted, open) = (0, 0)
        /// Of a store that lacks a part of the baseline; `wrong` are baselines with a wrong write that it knows.
        var beside = (accepted: 0, open: 0, wrong: [0, 0, 0])
        /// By kind of corruption: refused, left open, and accepted, which did no harm.
        var corruptions: [String: [Int]] = [:]
        /// Faults that a store and its own baseline have in common.
        var own: (found: Int, missed: [String: Int]) = (0, [:])

        var description: String {
            let kinds = corruptions.sorted { $0.key < $1.key }.map { kind, counts in
                "\(kind): refused \(counts[0]), open \(counts[1]), harmless \(counts[2])"
            }
            let first = "right baselines: accepted \(accepted), open \(open)"
            let other =
                "with unknown transactions: accepted \(beside.accepted), open \(beside.open); wrong ones: refused "
                + "\(beside.wrong[0]), open \(beside.wrong[1]), harmless \(beside.wrong[2])"
            let last = "faults of a maker: found by the log folder \(own.found), missed \(own.missed)"
            return ([first] + kinds + [other, last]).joined(separator: "\n")
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private typealias Positions = [UniqueID: UInt64]

    private static let writers = (1...3 as ClosedRange<UInt64>).map(LogsFolder.writer)
    private let folder: TemporaryFolder
    private let model: Model
    private var generator: ChangeGenerator
    private var log: [UniqueID: [LogTransaction]] = [:]
    private let vector: Positions
    private let positions: Positions
    /// Of a store that has a part of the baseline, and perhaps more than the baseline.
    private let partial: Positions

    init(seed: UInt64) throws {
        folder = try TemporaryFolder("law")
        model = try Model(yaml: SimulationModel.text)
        var generator = ChangeGenerator(SeededGenerator(seed: seed))
        for writer in Self.writers {
            var clock: UInt64 = 0
            log[writer] = (0..<generator.number(0...7)).map { index in
                clock += UInt64(generator.number(1...3))
                let changes = generator.changes(isKnown: generator.number(0...3) > 0).deletionsFirst
                let header = TransactionHeader(
                    sequence: UInt64(index) + 1,
                    clock: HybridClock(milliseconds: 1_000 + clock),
                    changeCount: changes.count
                )
                return LogTransaction(header: header, changes: changes)
            }
        }
        let log = log
        vector = log.mapValues { UInt64(generator.number(0...$0.count)) }
        let least = vector
        positions = Dictionary(
            uniqueKeysWithValues: log.sorted { $0.key < $1.key }.map { writer, transactions in
                (writer, UInt64(generator.number(Int(least[writer] ?? 0)...transactions.count)))
            }
        )
        let greatest = positions
        partial = Dictionary(
            uniqueKeysWithValues: log.keys.sorted().map { ($0, UInt64(generator.number(0...Int(greatest[$0] ?? 0)))) }
        )
        self.generator = generator
    }

    /// A history of one transaction.
    init(_ changes: [Change]) throws {
        folder = try TemporaryFolder("law")
        model = try Model(yaml: SimulationModel.text)
        generator = ChangeGenerator(SeededGenerator(seed: 0))
        let clock = HybridClock(milliseconds: 1_000)
        let header = TransactionHeader(sequence: 1, clock: clock, changeCount: changes.count)
        log = [Self.writers[0]: [LogTransaction(header: header, changes: changes)]]
        (vector, positions, partial) = ([Self.writers[0]: 1], [Self.writers[0]: 1], [:])
    }

    func run(_ tally: inout Tally) throws {
        var trial = self
        try trial.play(&tally)
    }

    private mutating func play(_ tally: inout Tally) throws {
        let maker = try store("maker")
        try apply(to: maker, through: vector)
        let store = try store("store")
        try apply(to: store, through: positions)
        // Most of what is lost is below the baseline.
        for (writer, transactions) in log.sorted(by: { $0.key < $1.key }) {
            for transaction in transactions where transaction.header.sequence <= positions[writer, default: 0] {
                let isBelow = transaction.header.sequence <= vector[writer, default: 0]
                if generator.number(0...99) < (isBelow ? 30 : 5) { continue }
                try put(writer, transaction)
            }
        }
        let lines = try lines(of: maker)
        guard lines.count > 1 else { return }
        let right = BaselineParts(lines)
        switch try verdict(right, store, 0) {
        case .sound: tally.accepted += 1
        case .open: tally.open += 1
        case .differs(let reason): throw Failure(description: "a right baseline is refused: \(reason)")
        }
        // Its maker compares it with the segments that are there, too.
        if case .differs(let reason) = try verdict(right, store, 0, against: []) {
            throw Failure(description: "a right baseline contradicts the segments: \(reason)")
        }
        let digest = try digest(of: store)
        let beside = try Beside(self, right, &tally)
        var wrongs: [(number: Int, kind: String, baseline: BaselineParts)] = []
        for number in 1...4 {
            var wrong = right
            guard let kind = corrupt(&wrong), wrong != right else { continue }
            var counts = tally.corruptions[kind, default: [0, 0, 0]]
            switch try verdict(wrong, store, number) {
            case .differs: counts[0] += 1
            case .open: counts[1] += 1
            case .sound:
                counts[2] += 1
                guard try digestOfJoined(wrong, number, through: positions) == digest else {
                    throw Failure(
                        description: "a wrong baseline is endorsed (\(kind)):\n\(wrong.text.joined(separator: "\n"))"
                    )
                }
            }
            tally.corruptions[kind] = counts
            try beside.compare(wrong, kind, number, self, &tally)
            wrongs.append((number, kind, wrong))
        }
        try compareOwn(wrongs, digest, &tally)
        try beside.store.close()
        try maker.close()
        try store.close()
    }

    /// A store that lacks a part of the baseline.
    private struct Beside {
        let store: Store
        private let right: BaselineParts
        /// The state that the baseline and the store have together.
        private let digest: String
        private let united: Positions
        /// The lines of its state.
        private var lines: Set<String> = []

        init(_ trial: LawTrial, _ right: BaselineParts, _ tally: inout Tally) throws {
            self.right = right
            united = trial.partial.merging(trial.vector) { max($0, $1) }
            store = try trial.store("beside")
            try trial.apply(to: store, through: trial.partial)
            let whole = try trial.store("united")
            try trial.apply(to: whole, through: united)
            digest = try trial.digest(of: whole)
            try whole.close()
            _ = try store.read {
                try $0.baseline.forEachLine { lines.insert(String(decoding: $0.dropLast(), as: UTF8.self)) }
            }
            switch try trial.verdict(right, store, 0, .withUnknown) {
            case .sound: tally.beside.accepted += 1
            case .open: tally.beside.open += 1
            case .differs(let reason): throw Failure(description: "a right baseline contradicts a part: \(reason)")
            }
        }

        func compare(
            _ wrong: BaselineParts,
            _ kind: String,
            _ number: Int,
            _ trial: LawTrial,
            _ tally: inout Tally
        ) throws {
            guard isKnown(wrong, trial) else { return }
            switch try trial.verdict(wrong, store, number, .withUnknown) {
            case .differs: tally.beside.wrong[0] += 1
            case .open: tally.beside.wrong[1] += 1
            case .sound:
                tally.beside.wrong[2] += 1
                guard try trial.digestOfJoined(wrong, number, through: united, in: "beside-joined") == digest else {
                    throw Failure(
                        description:
                            "a wrong write that is known is accepted (\(kind)):\n\(wrong.text.joined(separator: "\n"))"
                    )
                }
            }
        }

        /// Whether the store knows all that is wrong.
        private func isKnown(_ wrong: BaselineParts, _ trial: LawTrial) -> Bool {
            guard wrong.writers == right.writers else { return false }
            let ahead = Set(trial.vector.filter { $0.value > trial.partial[$0.key, default: 0] }.keys)
            let changed =
                right.transactions.filter { !wrong.transactions.contains($0) }
                + wrong.transactions.filter { !right.transactions.contains($0) }
            let rest = Set(right.rest).symmetricDifference(wrong.rest)
            return changed.allSatisfy { transaction in
                guard let writer = UniqueID(transaction.header.string("writer")),
                    let sequence = transaction.header.integer("transaction")
                else { return false }
                return sequence <= trial.partial[writer, default: 0]
            }
                && rest.allSatisfy { line in
                    guard line.hasPrefix("{\"bound\"") else { return ahead.allSatisfy { !line.contains("\($0)") } }
                    // Any writer may have written another bound; one that is left out and that the store has is known.
                    return ahead.isEmpty || rest.count == 1 && lines.contains(line)
                }
        }
    }

    /// A store with a fault makes a baseline with this fault: only the log folder shows it.
    private func compareOwn(
        _ wrongs: [(number: Int, kind: String, baseline: BaselineParts)],
        _ digest: String,
        _ tally: inout Tally
    ) throws {
        try putAll()
        for (number, kind, baseline) in wrongs {
            switch try verdictOfMaker(of: baseline, number, besides: digest) {
            case nil: continue
            case .sound?: tally.own.missed[kind, default: 0] += 1
            case .differs?, .open?: tally.own.found += 1
            }
        }
    }

    /// The verdict of a store with the state of a wrong baseline; nil when no store can have it, or it is the right state.
    private func verdictOfMaker(
        of baseline: BaselineParts,
        _ number: Int,
        besides digest: String
    ) throws -> BaselineLaw.Verdict? {
        guard let known = try known(baseline, number) else { return nil }
        let faulty = try store("faulty-\(number)")
        defer { try? faulty.close() }
        let work = BaselineImport(baseline: known, logs: try logs, control: ImportControl())
        let (whole, _) = try work.verified()
        guard (try? faulty.write { try work.join(whole, $0) }) != nil else { return nil }
        try apply(to: faulty, through: positions, after: known.vector.entries)
        guard try self.digest(of: faulty) != digest else { return nil }
        return try verdict(baseline, faulty, number, against: [])
    }

    /// The verdict of a store with a write that no segment has.
    func verdictOfMaker(adding change: Change, _ number: Int) throws -> BaselineLaw.Verdict? {
        try putAll()
        let maker = try store("maker-\(number)")
        defer { try? maker.close() }
        try apply(to: maker, through: vector)
        var wrong = BaselineParts(try lines(of: maker))
        wrong.transactions[0].changes.append(Self.line(change))
        return try verdictOfMaker(of: wrong, number, besides: digest(of: maker))
    }

    /// The verdict of a store on its own baseline with more lines in its first transaction, beside the whole log.
    func verdict(adding changes: [Change]) throws -> BaselineLaw.Verdict {
        try putAll()
        let store = try store("store")
        defer { try? store.close() }
        if try store.read({ try $0.writers.all().allSatisfy { $0.sequence == 0 } }) {
            try apply(to: store, through: positions)
        }
        var baseline = BaselineParts(try lines(of: store))
        // The last lines are those that the model lacks.
        baseline.transactions[0].changes.insert(contentsOf: changes.map(Self.line), at: 0)
        return try verdict(baseline, store, 0, against: [])
    }

    /// The verdict of a store on a baseline without its counters.
    func verdictWithoutCounters() throws -> BaselineLaw.Verdict {
        let store = try store("store")
        defer { try? store.close() }
        try apply(to: store, through: positions)
        var wrong = BaselineParts(try lines(of: store))
        wrong.rest = []
        return try verdict(wrong, store, 0)
    }

    private func putAll() throws {
        for (writer, transactions) in log {
            for transaction in transactions where transaction.header.sequence <= positions[writer, default: 0] {
                try put(writer, transaction)
            }
        }
    }

    private func lines(of store: Store) throws -> [String] {
        var lines: [String] = []
        _ = try store.read {
            try $0.baseline.forEachLine { lines.append(String(decoding: $0.dropLast(), as: UTF8.self)) }
        }
        return lines
    }

    private static func line(_ change: Change) -> String {
        var line: [UInt8] = []
        change.write(to: &line)
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    // MARK: Stores and files

    private func store(_ name: String) throws -> Store {
        try SyncModel.open(in: folder, "\(name).sqlite", model: model)
    }

    private func digest(of store: Store) throws -> String { try store.read { try $0.mergeState.digest().digest } }

    private func apply(to store: Store, through positions: Positions, after: Positions = [:]) throws {
        try store.write { write in
            for (writer, transactions) in log {
                for transaction in transactions
                where transaction.header.sequence > after[writer, default: 0]
                    && transaction.header.sequence <= positions[writer, default: 0]
                {
                    try write.beginImport(writer: writer, header: transaction.header)
                    try write.apply(transaction.changes)
                    _ = try write.endImport()
                }
            }
        }
    }

    private var logs: LogFolder { get throws { try LogFolder(path: folder.path("logs")) } }

    private func put(_ writer: UniqueID, _ transaction: LogTransaction) throws {
        try put(
            "\(writer)/\(SegmentText(writer: writer, [transaction]).name.fileName)",
            SegmentText(writer: writer, [transaction]).bytes()
        )
    }

    private func put(_ path: String, _ bytes: [UInt8]) throws {
        let file = URL(filePath: folder.path("logs")).appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Nil when no reader accepts the bytes.
    private func known(_ baseline: BaselineParts, _ number: Int) throws -> KnownBaseline? {
        let name = BaselineName(writer: LogsFolder.writer(9), sequence: UInt64(number) + 1)
        try put(name.path, SegmentText.baseline(baseline.text))
        let file = try logs.open(fileName: name.fileName, writer: name.writer)
        guard let whole = try? VerifiedBaseline.verify(file) else { return nil }
        let summary = try BaselineSummary.read(file)
        return KnownBaseline(
            name: name,
            modelHash: whole.header.modelHash,
            vector: VersionVector(whole.writers),
            sha256: summary.sha256,
            bytes: summary.bytes
        )
    }

    private func verdict(
        _ baseline: BaselineParts,
        _ store: Store,
        _ number: Int,
        _ extent: BaselineLaw.Extent = .applied,
        against bases: [KnownBaseline]? = nil
    ) throws -> BaselineLaw.Verdict {
        guard let known = try known(baseline, number) else { return .differs("it is no baseline") }
        let segments = AppliedSegments(logs: try logs, store: store, trust: StoreTrust())
        let verifier = BaselineVerifier(segments: segments, cancellation: ReadCancellation()) { _ in }
        return try store.read { try verifier.verify(known, $0, extent, against: bases).verdict }
    }

    /// Nil when it cannot be joined.
    private func digestOfJoined(
        _ baseline: BaselineParts,
        _ number: Int,
        through positions: Positions,
        in name: String = "joined"
    ) throws -> String? {
        guard let known = try known(baseline, number) else { return nil }
        let joined = try store("\(name)-\(number)")
        defer { try? joined.close() }
        let work = BaselineImport(baseline: known, logs: try logs, control: ImportControl())
        let (whole, _) = try work.verified()
        _ = try joined.write { try work.join(whole, $0) }
        try apply(to: joined, through: positions, after: known.vector.entries)
        return try digest(of: joined)
    }

    // MARK: Corruptions

    private mutating func pick<T>(_ list: [T]) -> T? {
        list.isEmpty ? nil : list[generator.number(0...(list.count - 1))]
    }

    private mutating func pickIndex(_ count: Int) -> Int? { count == 0 ? nil : generator.number(0...(count - 1)) }

    /// Returns the kind; nil when the baseline has nothing of that kind.
    private mutating func corrupt(_ baseline: inout BaselineParts) -> String? {
        switch generator.number(0...12) {
        case 0:
            guard let (place, index) = change(in: baseline) else { return nil }
            baseline.transactions[place].changes.remove(at: index)
            return "a change is left out"
        case 1:
            guard let (place, index) = change(in: baseline) else { return nil }
            let other = replaced(baseline.transactions[place].changes[index])
            baseline.transactions[place].changes[index] = other
            return "another value"
        case 2:
            guard let (place, index) = change(in: baseline), let to = pickIndex(baseline.transactions.count) else {
                return nil
            }
            let line = baseline.transactions[place].changes.remove(at: index)
            baseline.transactions[to].changes.append(line)
            return "another version"
        case 3:
            guard let to = pickIndex(baseline.transactions.count) else { return nil }
            let changes = generator.changes(isKnown: false)
            guard let change = pick(changes) else { return nil }
            baseline.transactions[to].changes.append(Self.line(change))
            return "an invented change"
        case 4, 5:
            guard let index = pickIndex(baseline.rest.count) else { return nil }
            let kind = baseline.rest[index].hasPrefix("{\"bound\"") ? "a bound" : "a total"
            if generator.number(0...1) == 0 {
                baseline.rest.remove(at: index)
                return "\(kind) is left out"
            }
            baseline.rest[index] = replaced(baseline.rest[index])
            return "\(kind) is another one"
        case 6, 7:
            guard let index = pickIndex(baseline.writers.count),
                let writer = UniqueID(baseline.writers[index].string("writer")),
                let last = baseline.writers[index].integer("sequence")
            else { return nil }
            let isHigher = generator.number(0...1) == 0
            let next = isHigher ? last + 1 : last - 1
            guard next >= 1, let all = log[writer], next <= all.count else { return nil }
            baseline.writers[index].set("sequence", .integer(next))
            baseline.writers[index].set("clock", .string(all[Int(next) - 1].header.clock.description))
            return isHigher ? "positions are higher" : "positions are lower"
        case 8:
            guard let index = pickIndex(baseline.transactions.count) else { return nil }
            let members = baseline.transactions[index].header
            guard let sequence = members.integer("transaction"), sequence > 1 else { return nil }
            baseline.transactions[index].header.set("transaction", .integer(sequence - 1))
            return "another sequence"
        case 9:
            guard let index = pickIndex(baseline.transactions.count) else { return nil }
            let header = baseline.transactions[index].header
            guard let clock = HybridClock(header.string("clock")) else { return nil }
            let moved = HybridClock(rawValue: clock.rawValue &- UInt64(generator.number(1...2)) << 16)
            baseline.transactions[index].header.set("clock", .string(moved.description))
            baseline.sort()
            return "another clock"
        case 10, 11:
            let counters = baseline.rest.indices.filter { baseline.rest[$0].hasPrefix("{\"counter\"") }
            return pick(counters).flatMap { changeZero(in: &baseline.rest[$0]) }
        default:
            guard let index = pickIndex(baseline.transactions.count),
                let deletion = baseline.transactions[index].changes.firstIndex(where: { $0.hasPrefix("{\"delete\"") })
            else { return nil }
            baseline.transactions[index].changes.remove(at: deletion)
            return "a deletion is left out"
        }
    }

    private mutating func change(in baseline: BaselineParts) -> (Int, Int)? {
        guard let place = pickIndex(baseline.transactions.count),
            let index = pickIndex(baseline.transactions[place].changes.count)
        else { return nil }
        return (place, index)
    }

    /// Adds a total of zero, or leaves out one.
    private mutating func changeZero(in line: inout String) -> String? {
        var counter = BaselineParts.Line(line)
        let members = counter.members
        guard case .object(var totals)? = members.first(where: { $0.key == "totals" })?.value else { return nil }
        let others = totals.filter { ![.integer(0), .double(0)].contains($0.value) }
        let writers = vector.filter { $0.value > 0 }.keys.map(\.description).sorted()
        guard let writer = pick(writers.filter { writer in !others.contains { $0.key == writer } }) else { return nil }
        if let zero = totals.firstIndex(where: { $0.key == writer }) {
            totals.remove(at: zero)
        } else {
            totals.append(JSONMember(key: writer, value: .integer(0)))
        }
        counter.set("totals", .object(totals))
        line = counter.text
        return totals.isEmpty ? "no total" : "totals of zero"
    }

    /// Another value, position, target or total in a line.
    private mutating func replaced(_ line: String) -> String {
        guard case .object(var members)? = try? JSONParser.parse(line) else { return line }
        for key in ["values", "totals", "positions", "ids"] {
            guard let place = members.firstIndex(where: { $0.key == key }) else { continue }
            switch members[place].value {
            case .object(var inner):
                guard let index = pickIndex(inner.count) else { return line }
                switch inner[index].value {
                case .integer(let value): inner[index].value = .integer(value &+ Int64(generator.number(1...2)))
                case .string(let text) where UniqueID(text) == nil: inner[index].value = .string(text + "x")
                default: inner[index].value = .integer(9)
                }
                members[place].value = .object(inner)
            case .array(var inner):
                guard let index = pickIndex(inner.count) else { return line }
                inner[index] = key == "ids" ? .string(UniqueID(high: 0x1000, low: 2).description) : .string("z")
                members[place].value = .array(inner)
            default: break
            }
            return JSONValue.object(members).text
        }
        return line
    }
}

/// The lines of a baseline in their parts, so that a change of one keeps the others valid.
private struct BaselineParts: Equatable {
    struct Line: Equatable {
        var members: [JSONMember]

        init(_ text: String) {
            if case .object(let members)? = try? JSONParser.parse(text) { self.members = members } else { members = [] }
        }

        func string(_ key: String) -> String {
            if case .string(let text)? = members.first(where: { $0.key == key })?.value { text } else { "" }
        }

        func integer(_ key: String) -> Int64? {
            if case .integer(let value)? = members.first(where: { $0.key == key })?.value { value } else { nil }
        }

        mutating func set(_ key: String, _ value: JSONValue) {
            if let index = members.firstIndex(where: { $0.key == key }) { members[index].value = value }
        }

        var text: String { JSONValue.object(members).text }
    }

    struct Transaction: Equatable {
        var header: Line
        var changes: [String] = []
    }

    var header: String
    var writers: [Line] = []
    var transactions: [Transaction] = []
    /// Bounds and counters.
    var rest: [String] = []

    init(_ lines: [String]) {
        header = lines[0]
        for line in lines.dropFirst() {
            if line.hasPrefix("{\"writer\"") {
                writers.append(Line(line))
            } else if line.hasPrefix("{\"transaction\"") {
                transactions.append(Transaction(header: Line(line)))
            } else if line.hasPrefix("{\"bound\"") || line.hasPrefix("{\"counter\"") {
                rest.append(line)
            } else {
                transactions[transactions.count - 1].changes.append(line)
            }
        }
    }

    mutating func sort() {
        transactions.sort {
            ($0.header.string("clock"), $0.header.string("writer")) < (
                $1.header.string("clock"), $1.header.string("writer")
            )
        }
    }

    /// Without transactions that have no change left.
    var text: [String] {
        var lines = [header] + writers.map(\.text)
        for transaction in transactions where !transaction.changes.isEmpty {
            var begin = transaction.header
            begin.set("changes", .integer(Int64(transaction.changes.count)))
            lines.append(begin.text)
            lines += transaction.changes
        }
        return lines + rest
    }
}
