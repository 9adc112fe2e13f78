package import TributaryChanges

/// What a name in a writer's folder stands for.
package enum SegmentFileKind: Hashable, Sendable {
    case segment(SegmentName)
    /// A baseline at the writer's own sequence.
    case baseline(sequence: UInt64)
    /// A replicator's conflict copy of a segment: since only one writer writes a name, proof of a cloned writer.
    case conflictCopy(of: SegmentName)
    /// A replicator's or somebody's own file, none of our business.
    case ignored

    package static func classify(_ name: String, writer: UniqueID) -> SegmentFileKind {
        if let segment = SegmentName(writer: writer, fileName: name) { return .segment(segment) }
        if name.utf8.count == 25, name.hasSuffix(".baseline"), let sequence = parseHexadecimal16(name.prefix(16)) {
            return .baseline(sequence: sequence)
        }
        return conflictOriginal(name, writer: writer).map { .conflictCopy(of: $0) } ?? .ignored
    }

    /// `NAME.sync-conflict-YYYYMMDD-HHMMSS-DEVICE.tlog`, as Syncthing names the loser of a conflict.
    private static func conflictOriginal(_ name: String, writer: UniqueID) -> SegmentName? {
        let marker = ".sync-conflict-"
        guard name.utf8.count > 33 + marker.utf8.count, name.hasSuffix(".tlog"), !name.hasPrefix("."),
            name.dropFirst(33).hasPrefix(marker)
        else { return nil }
        return SegmentName(writer: writer, fileName: name.prefix(33) + ".tlog")
    }
}
