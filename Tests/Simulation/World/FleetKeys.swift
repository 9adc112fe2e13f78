import TransactionLog
import TributaryChanges

/// The keys of encryption that the machines of a fleet share, by number.
struct FleetKeys {
    private(set) var newest = 0
    /// The keys that nobody has any more.
    private var lost: Set<Int> = []

    /// The keys that somebody may have.
    var present: [Int] { (0...newest).filter { !lost.contains($0) } }

    /// The keys of all files that can be read.
    var readable: EncryptionKeys { FleetKeys.keys(present) }

    mutating func make() { newest += 1 }

    /// Loses the newest key everywhere, and makes another one.
    mutating func lose() {
        lost.insert(newest)
        newest += 1
    }

    /// The content of a file; nil when its key is lost.
    func content(of bytes: [UInt8]) -> [UInt8]? { try? plain(bytes, readable) }

    static func keys(_ numbers: [Int]) -> EncryptionKeys {
        let lines = numbers.map { hexadecimal16(UInt64($0) + 1) + String(repeating: "0", count: 48) }
        // Without a line there is no file of keys.
        return (try? EncryptionKeys(text: lines.joined(separator: "\n"))) ?? EncryptionKeys()
    }
}
