import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// Foreign files that have names of this store's transactions or comparisons.
///
/// Everybody who can write into the log folder can take the next name of a writer. The time between two fresh writers
/// therefore doubles with each recorded file. A file with transactions may be the store's own, from before its machine was
/// set back, so no hint removes it.
struct TakenNames: Hashable, Sendable {
    /// The file has transactions of a writer of this store, up to `last`, that the store has not written.
    struct Claim: Hashable, Sendable {
        var writer: UniqueID
        var last: UInt64

        func isApplied(_ reader: Reader) throws -> Bool {
            try reader.writers.record(of: writer).map { $0.sequence >= last } ?? false
        }
    }

    struct Entry: Hashable, Sendable {
        var since: WallTime
        var path: String
        /// Nil for a folder, a link or a damaged file.
        var claim: Claim?
        var reason: String
    }

    private(set) var entries: [Entry] = []
    private var last: WallTime?

    private static let limit = 100
    private static let shortestPause = Duration.seconds(10)
    /// The pause stops growing after this number of files: it is 43 minutes then.
    private static let mostDoublings = 8

    init(_ reader: Reader) throws { self.init(try reader.setting(StoreKeys.taken) ?? "") }

    /// Lines of `<Unix milliseconds> <path> <reason>`; the first line has only the time of the last fresh writer.
    ///
    /// The reason of a claim begins with `<writer>:<last>` and a space.
    init(_ text: String) {
        var lines = text.split(separator: "\n")[...]
        last = lines.popFirst().flatMap { UInt64($0) }.map { WallTime(milliseconds: $0) }
        entries = lines.suffix(TakenNames.limit).compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let since = UInt64(parts[0]) else { return nil }
            let (claim, reason) = Claim.parse(parts[2])
            return Entry(since: WallTime(milliseconds: since), path: String(parts[1]), claim: claim, reason: reason)
        }
    }

    var text: String {
        let lines = entries.map { entry in
            let claim = entry.claim.map { "\($0.writer):\($0.last) " } ?? ""
            return "\(entry.since.milliseconds) \(entry.path) \(claim)\(entry.reason)"
        }
        return (["\(last?.milliseconds ?? 0)"] + lines).joined(separator: "\n")
    }

    func pause(at wall: WallTime) -> Int? {
        guard let last, last <= wall else { return nil }
        let doublings = min(max(0, entries.count - 1), TakenNames.mostDoublings)
        let rest = TakenNames.shortestPause * (1 << doublings) - wall.duration(since: last)
        return rest > .zero ? Int(rest.components.seconds) + 1 : nil
    }

    mutating func add(_ entry: Entry) {
        last = entry.since
        note(entry)
    }

    mutating func note(_ entry: Entry) {
        var entry = entry
        entry.reason = entry.reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        entries.removeAll { $0.path == entry.path }
        entries = (entries + [entry]).suffix(TakenNames.limit)
    }

    static func record(_ transaction: WriteTransaction, _ change: (inout TakenNames) -> Void) throws {
        var taken = try TakenNames(transaction.reader)
        change(&taken)
        try transaction.setSetting(StoreKeys.taken, to: taken.text)
    }

    /// Forgets files that are gone, and returns the files with unapplied transactions, which are a problem.
    ///
    /// The other files stay recorded, because the pause depends on their number; `own` was published by this store.
    static func remaining(
        of store: Store,
        in logs: @autoclosure () throws -> LogFolder,
        without own: String? = nil
    ) throws -> TakenNames {
        let (known, applied) = try store.read { reader in
            let known = try TakenNames(reader)
            return (known, try known.entries.filter { try $0.claim?.isApplied(reader) ?? false })
        }
        guard !known.entries.isEmpty else { return known }
        let logs = try logs()
        let gone = known.entries.filter { entry in
            entry.path == own
                || faccessat(logs.descriptor, entry.path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
        }
        if !gone.isEmpty {
            try store.write { try record($0) { taken in taken.entries.removeAll(where: gone.contains) } }
        }
        var remaining = known
        remaining.entries.removeAll { gone.contains($0) || applied.contains($0) }
        return remaining
    }
}

extension Problem {
    init?(_ taken: TakenNames, in logs: String) {
        guard let first = taken.entries.first else { return nil }
        let more = taken.entries.count > 1 ? " and \(taken.entries.count - 1) more" : ""
        let content =
            first.claim == nil
            ? "has a name that this store uses, and is not from this store"
            : "has transactions in this store's name that this store has not written"
        let effect =
            first.path.hasSuffix(".comparison")
            ? "While it is there, this store can neither endorse that baseline nor object to it."
            : "The store has continued as a fresh writer, and publishes its changes as this writer."
        self.init(
            .nameTaken,
            since: first.since,
            detail: "\(logs)/\(first.path)\(more) \(content). \(first.reason). \(effect)",
            file: "\(logs)/\(first.path)",
            hint: TakenNames.hint(taken.entries.prefix(8).map { ("\(logs)/\($0.path)", $0.claim != nil) })
        )
    }
}

extension TakenNames {
    static func claimReason(_ writer: UniqueID, after sequence: UInt64) -> String {
        "Its transactions of writer \(writer) after transaction \(sequence) are from somebody else who writes as this store, "
            + "or from this machine before it was set back"
    }

    /// The hint never removes a file with transactions: it may be the only file with transactions of this store.
    static func hint(_ files: [(path: String, hasTransactions: Bool)]) -> String {
        let claims = files.filter(\.hasTransactions).map(\.path)
        let others = files.filter { !$0.hasTransactions }.map(\.path)
        var hints: [String] = []
        if !claims.isEmpty {
            hints.append(
                "If this machine was set back, do nothing: this store takes the transactions from "
                    + "\(claims.joined(separator: ", ")). Otherwise stop the program that writes as this store."
            )
        }
        if !others.isEmpty {
            hints.append(
                "Find out who writes into the log folder as this store. If nobody needs "
                    + "\(others.count > 1 ? "the files" : "the file"): rm -r \(others.map(\.shellWord).joined(separator: " "))"
            )
        }
        return hints.joined(separator: " ")
    }
}

extension TakenNames.Claim {
    fileprivate static func parse(_ text: Substring) -> (TakenNames.Claim?, reason: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        let claim = parts.count == 2 ? parts[0].split(separator: ":") : []
        guard claim.count == 2, let writer = UniqueID(claim[0]), let last = UInt64(claim[1])
        else { return (nil, String(text)) }
        return (TakenNames.Claim(writer: writer, last: last), String(parts[1]))
    }
}
