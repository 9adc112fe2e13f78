import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// The files that have names of this store's transactions, or of its comparisons, and are not its own.
///
/// The store continued as a fresh writer for each file with a name of its transactions.
///
/// Everybody who writes into the log folder can take the next name of each writer. So the time between two fresh writers
/// doubles with each file that is still there.
struct TakenNames: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        var since: WallTime
        /// The file in the log folder: a segment, a baseline, a comparison, or the folder of its writer.
        var path: String
        var reason: String
    }

    /// The newest last.
    private(set) var entries: [Entry] = []
    /// When the store has continued as a fresh writer last.
    private var last: WallTime?

    private static let limit = 100
    private static let shortestPause = Duration.seconds(10)
    /// After so many files the pause grows no longer: it is 43 minutes then.
    private static let mostDoublings = 8

    init(_ reader: Reader) throws { self.init(try reader.setting(StoreKeys.taken) ?? "") }

    /// Parses the lines `<Unix milliseconds> <path> <reason>`; the first line has only the time of the last fresh writer.
    init(_ text: String) {
        var lines = text.split(separator: "\n")[...]
        last = lines.popFirst().flatMap { UInt64($0) }.map { WallTime(milliseconds: $0) }
        entries = lines.suffix(TakenNames.limit).compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let since = UInt64(parts[0]) else { return nil }
            return Entry(since: WallTime(milliseconds: since), path: String(parts[1]), reason: String(parts[2]))
        }
    }

    var text: String {
        let lines = entries.map { "\($0.since.milliseconds) \($0.path) \($0.reason)" }
        return (["\(last?.milliseconds ?? 0)"] + lines).joined(separator: "\n")
    }

    /// The seconds until the store may continue as a fresh writer; nil when it may now.
    func pause(at wall: WallTime) -> Int? {
        guard let last, last <= wall else { return nil }
        let doublings = min(max(0, entries.count - 1), TakenNames.mostDoublings)
        let rest = TakenNames.shortestPause * (1 << doublings) - wall.duration(since: last)
        return rest > .zero ? Int(rest.components.seconds) + 1 : nil
    }

    /// Adds a file that makes the store continue as a fresh writer.
    mutating func add(_ path: String, _ reason: String, at wall: WallTime) {
        last = wall
        note(path, reason, at: wall)
    }

    mutating func note(_ path: String, _ reason: String, at wall: WallTime) {
        let reason = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
        entries.removeAll { $0.path == path }
        entries = (entries + [Entry(since: wall, path: path, reason: reason)]).suffix(TakenNames.limit)
    }

    /// Changes what the store has recorded.
    @discardableResult
    static func record(_ transaction: WriteTransaction, _ change: (inout TakenNames) -> Void) throws -> TakenNames {
        var taken = try TakenNames(transaction.reader)
        change(&taken)
        try transaction.setSetting(StoreKeys.taken, to: taken.text)
        return taken
    }

    /// Forgets the recorded files that are gone, with one look at each, and returns the others.
    ///
    /// `own` is the path of a file that the store has published meanwhile.
    static func remaining(
        of store: Store,
        in logs: @autoclosure () throws -> LogFolder,
        without own: String? = nil
    ) throws -> TakenNames {
        let known = try store.read { try TakenNames($0) }
        guard !known.entries.isEmpty else { return known }
        let logs = try logs()
        let gone = known.entries.filter { entry in
            entry.path == own
                || faccessat(logs.descriptor, entry.path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
        }
        if gone.isEmpty { return known }
        return try store.write { try record($0) { taken in taken.entries.removeAll(where: gone.contains) } }
    }
}

extension Problem {
    /// Nil when nothing has the name of a segment of this store.
    init?(_ taken: TakenNames, in logs: String) {
        guard let first = taken.entries.first else { return nil }
        let more = taken.entries.count > 1 ? " and \(taken.entries.count - 1) more" : ""
        let isBaseline = first.path.hasSuffix(".baseline")
        let uses = isBaseline ? "has transactions in this store's name" : "has a name that this store uses"
        let effect =
            first.path.hasSuffix(".comparison")
            ? "While it is there, this store can neither endorse that baseline nor object to it."
            : "The store has continued as a fresh writer, and publishes its changes as this writer."
        self.init(
            .nameTaken,
            since: first.since,
            detail: "\(logs)/\(first.path)\(more) \(uses), and is not from this store. \(first.reason). \(effect)",
            file: "\(logs)/\(first.path)",
            hint: TakenNames.hint(taken.entries.prefix(8).map { "\(logs)/\($0.path)" })
        )
    }
}

extension TakenNames {
    /// The reason for a file with transactions of the present writer that the store proves not to have written.
    static func claim(on writer: UniqueID, after sequence: UInt64) -> String {
        "It has transactions of writer \(writer) after transaction \(sequence). This store is that writer, and has not "
            + "written them: somebody else writes as this store, or its machine was set back"
    }

    static func hint(_ paths: [String]) -> String {
        "Find out who writes into the log folder as this store. If nobody needs \(paths.count > 1 ? "the files" : "the file"): "
            + "rm -r \(paths.map(\.shellWord).joined(separator: " "))"
    }
}
