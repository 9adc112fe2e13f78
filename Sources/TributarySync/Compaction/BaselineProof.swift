import TransactionLog
import TributaryChanges
import TributaryStore

/// The proof that the bytes of a baseline's file had the hash in its end line, which the store keeps from start to start.
///
/// It is believed of the same file only: its inode, its size and its times, of which the system sets the last one at every
/// change of the file. A file is never removed, and never joined, before it is read again.
struct BaselineProof: Hashable, Sendable {
    var mark: FileAttributes
    var sha256: String

    /// The age of a change after which a later one certainly gets another time.
    private static let leastAge = Duration.seconds(2)

    init(mark: FileAttributes, sha256: String) {
        self.mark = mark
        // A file system may have another number after a boot.
        self.mark.device = 0
        self.sha256 = sha256
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        let numbers = parts.dropFirst(2).compactMap { Int64($0) }
        guard parts.count == 7, numbers.count == 5, let inode = UInt64(parts[0]), isSHA256(String(parts[1])) else {
            return nil
        }
        self.init(
            mark: FileAttributes(
                inode: inode,
                size: numbers[0],
                modified: FileTime(seconds: numbers[1], nanoseconds: numbers[2]),
                changed: FileTime(seconds: numbers[3], nanoseconds: numbers[4])
            ),
            sha256: String(parts[1])
        )
    }

    /// `<inode> <sha256> <size> <modified: seconds nanoseconds> <changed: seconds nanoseconds>`.
    var text: String {
        "\(mark.inode) \(sha256) \(mark.size) \(mark.modified.seconds) \(mark.modified.nanoseconds) "
            + "\(mark.changed.seconds) \(mark.changed.nanoseconds)"
    }

    /// Whether the proof is one of the file with this mark and this hash in its end line.
    func isValid(for mark: FileAttributes, sha256: String) -> Bool {
        self == BaselineProof(mark: mark, sha256: sha256)
    }

    /// Whether no later change of the file can have the times of this one.
    func isLasting(at wall: WallTime) -> Bool { mark.changed.isOlder(than: BaselineProof.leastAge, at: wall) }
}
