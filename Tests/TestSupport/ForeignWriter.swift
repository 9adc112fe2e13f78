import Foundation
import TributaryChanges

/// A writer of segments that follows the published format only, independently of this project's code.
///
/// It can therefore disagree with this project's writer.
package struct ForeignWriter: Sendable {
    package let id: String
    /// The sequence of the writer's last transaction.
    package private(set) var sequence: UInt64 = 0
    /// What it shows to people, in its next segments.
    package var name: String?
    private var clock: UInt64
    private var previous: String?

    /// Creates a writer; `milliseconds` is the Unix time of its first transaction.
    package init(id: String, milliseconds: UInt64, name: String? = nil) {
        self.id = id
        self.name = name
        clock = milliseconds << 16
    }

    /// Sets the Unix time of the next transaction.
    package mutating func moveClock(to milliseconds: UInt64) { clock = milliseconds << 16 }

    /// Writes one segment with a transaction for each list of change lines, staged and renamed as the format requires.
    ///
    /// Returns its path.
    @discardableResult
    package mutating func write(_ transactions: [[String]], to logs: String) throws -> String {
        let first = sequence + 1
        let last = sequence + UInt64(transactions.count)
        let before = previous.map { "\"\($0)\"" } ?? "null"
        let shown = try name.map { "\"name\":\(try ForeignWriter.json($0))," } ?? ""
        var text =
            "{\"tributary\":1,\"writer\":\"\(id)\",\(shown)\"first\":\(first),\"last\":\(last),\"previous\":\(before)}\n"
        for changes in transactions {
            sequence += 1
            clock += 1
            text += "{\"transaction\":\(sequence),\"clock\":\"\(hex(clock))\",\"changes\":\(changes.count)}\n"
            for change in changes { text += change + "\n" }
        }
        let hash = SHA256.hash(data: text.utf8).hexadecimal
        previous = hash
        let count = transactions.reduce(0) { $0 + $1.count }
        text += "{\"end\":\(last),\"transactions\":\(transactions.count),\"changes\":\(count),\"sha256\":\"\(hash)\"}\n"
        let folder = "\(logs)/\(id)"
        let staging = "\(logs)/.staging"
        for path in [folder, staging] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let name = "\(hex(first))-\(hex(last)).tlog"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(staging)/\(id)-\(name)"))
        let path = "\(folder)/\(name)"
        guard rename("\(staging)/\(id)-\(name)", path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return path
    }

    private static func json(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }

    private func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
