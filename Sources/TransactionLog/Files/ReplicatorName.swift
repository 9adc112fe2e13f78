/// A file name that replicators use for an unfinished file, or for the file that loses a conflict.
///
/// The cost is linear in the length of the name, whatever it contains.
package struct ReplicatorName: Sendable {
    private let bytes: [UInt8]

    package init(_ name: String) {
        bytes = name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    package var belongsToReplicator: Bool {
        guard let first = bytes.first else { return true }
        return Self.firstBytes.contains(first) || Self.endings.contains(where: ends) || isConflictCopy
    }

    /// Syncthing writes `.sync-conflict-`, Dropbox `(Ann's conflicted copy …)`, Nextcloud `(conflicted copy …)`,
    /// ownCloud `_conflict-`, Seafile `(SFConflict …)`, Resilio Sync `.Conflict`, Unison `(copy: conflict …)`, rclone
    /// `.conflict1`.
    package var isConflictCopy: Bool { contains("conflict", from: 0) || Self.olderEndings.contains(where: ends) }

    package var isResilioPart: Bool { ends(with: ".!sync") }

    private static let firstBytes = Array(".~".utf8)
    /// Syncthing, rsync, browsers, rclone, WinSCP, Resilio Sync.
    private static let endings = ["~", ".tmp", ".part", ".partial", ".filepart", ".!sync"]
    private static let olderEndings = ["..path1", "..path2"]
    private static let rangeLength = 33

    /// The length of the range of sequences at the start of a segment's conflict copy; nil for other names.
    var conflictRangeLength: Int? {
        guard bytes.count > Self.rangeLength else { return nil }
        let mark = bytes[Self.rangeLength...]
        let isMarked = " ._-".utf8.contains(bytes[Self.rangeLength]) && contains("conflict", from: Self.rangeLength)
        let isCopy =
            if ends(with: ".tlog") {
                isMarked || isHost(mark.dropLast(5))
            } else {
                mark.starts(with: ".tlog.conflict".utf8)
                    || Self.olderEndings.contains { mark.elementsEqual((".tlog" + $0).utf8) }
            }
        return isCopy ? Self.rangeLength : nil
    }

    private func isHost(_ mark: ArraySlice<UInt8>) -> Bool {
        guard mark.first == UInt8(ascii: "-"), mark.count > 1 else { return false }
        return mark.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_.".utf8.contains(byte)
        }
    }

    private func ends(with ending: String) -> Bool {
        bytes.count >= ending.utf8.count && bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    private func contains(_ word: String, from start: Int) -> Bool {
        var rest = bytes[start...]
        guard let first = word.utf8.first else { return true }
        while let place = rest.firstIndex(of: first) {
            rest = rest[place...]
            if rest.starts(with: word.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
