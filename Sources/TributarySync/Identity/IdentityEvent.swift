import Logging
import TributaryChanges
import TributaryStore

/// The last change of the store's writer that an administrator has not requested.
struct IdentityEvent: Hashable, Sendable {
    enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The store was restored from a backup.
        case restored
        /// The store is a copy of one that is still there.
        case copied
        /// The store is another file than before, and had exported nothing as its writer.
        case unexported
        /// The store was last used on another machine.
        case otherMachine = "other-machine"
        /// An older copy was put in the place of the store.
        case older
        /// Another program has written as the store's writer while the store was in use.
        case forked

        /// Whether another program may go on as the former writer, which is then waited for until it is evicted.
        var leavesFormerInUse: Bool {
            switch self {
            case .copied, .otherMachine, .forked: true
            case .restored, .unexported, .older: false
            }
        }
    }

    var cause: Cause
    var time: WallTime
    var former: UniqueID
    var new: UniqueID
    /// The file that proves the cause.
    var file: String?

    /// The time for which the event is a problem: an administrator knows of it then.
    static let problemAge = Duration.seconds(86_400)

    init(_ cause: Cause, at time: WallTime, _ minted: MintedWriter, file: String?) {
        (self.cause, self.time, self.file) = (cause, time, file)
        (former, new) = (minted.former, minted.new)
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 4).map(String.init)
        guard parts.count == 5, let cause = Cause(rawValue: parts[0]), let time = UInt64(parts[1]),
            let former = UniqueID(parts[2]), let new = UniqueID(parts[3])
        else { return nil }
        (self.cause, self.time) = (cause, WallTime(milliseconds: time))
        (self.former, self.new) = (former, new)
        file = parts[4] == "-" ? nil : parts[4]
    }

    /// `<cause> <Unix milliseconds> <former writer> <new writer> <file or ->`.
    var text: String { "\(cause.rawValue) \(time) \(former) \(new) \(file ?? "-")" }

    /// The problem that tells of the event; nil when it is old, what an administrator has asked for, or nobody knows the
    /// former writer.
    func problem(at wall: WallTime) -> SyncProblem? {
        guard ![.restored, .unexported].contains(cause), time.later(by: IdentityEvent.problemAge) > wall else {
            return nil
        }
        return SyncProblem(
            cause == .forked ? .ownFork : .writerChanged,
            since: time,
            detail: "\(reason) It continues as the writer \(new), and what \(former) has written is imported.",
            writer: former,
            hint: "\(remedy) This ends by itself after a day. To see both writers: tributaryctl writer list"
        )
    }

    private var reason: String {
        let file = file ?? "?"
        return switch cause {
        case .restored: "This store was restored from a backup."
        case .copied: "This store is a copy of \(file), which is still there."
        case .unexported: "This store is a copy of \(file), which had exported nothing yet."
        case .otherMachine: "This store was last used on another machine, whose store may still be in use."
        case .older: "This store is older than what \(file) has of its own writer: a copy was put in its place."
        case .forked: "Another program has written \(file) as this store's writer."
        }
    }

    private var remedy: String {
        switch cause {
        case .restored, .copied, .unexported, .otherMachine: "Nothing is lost, and both stores may go on."
        case .older: "Nothing is lost that was exported."
        case .forked: "See whether a copy of this store is in use."
        }
    }

    func log(_ minted: MintedWriter, _ logger: Logger) {
        logger.log(
            level: [.restored, .unexported].contains(cause) ? .notice : .warning,
            "the store continues as a new writer",
            metadata: [
                "cause": "\(cause.rawValue)", "file": "\(file ?? "-")", "writer": "\(new)", "former": "\(former)",
                "published": "\(minted.published)", "reissued": "\(minted.reissued)",
            ]
        )
    }
}
