import Foundation
import TestSupport
import TributaryStore

/// The memory that a digest takes, measured in a process of its own: what others have freed would hide it.
enum DigestRow {
    /// The argument of this program that makes it a process that digests the store at the path that follows.
    static let argument = "--digest"
    /// The difference that one more cache or buffer makes to a measurement.
    private static let noiseKiB = 2_048.0

    static let row = GrowthRow(
        title: "memory of a digest of n objects",
        order: .constant,
        smallest: 50_000,
        unit: .memory,
        runs: 1
    ) { count in
        let folder = try ImportedFolder()
        var writer = ImportRows.foreignWriter()
        for first in stride(from: 0, to: count, by: 10_000) {
            let transactions = stride(from: first, to: min(count, first + 10_000), by: 100).map { start in
                (start..<(start + 100)).map { ImportRows.insert("Worker", $0, #","values":{"name":"worker \#($0)"}"#) }
            }
            try writer.write(transactions, to: folder.logs)
        }
        try await folder.importAll()
        let process = try ChildProcess(
            BuildFolder.executable("growth"),
            [argument, folder.store],
            output: folder.store + ".txt"
        )
        let ending = await process.ending()
        let text = try String(contentsOfFile: folder.store + ".txt", encoding: .utf8)
        guard ending == .exited(0), let taken = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return max(taken, noiseKiB)
    }

    /// Prints by how many KiB the memory of this process grows at most while it digests the store.
    static func digest(_ path: String) throws {
        let store = try Store.open(StoreConfiguration(path: path, name: "growth", model: try Works.model()))
        let before = Effort.peakKiB
        _ = try store.read { try $0.mergeState.digest() }
        print(Effort.peakKiB - before)
        try store.close()
    }
}
