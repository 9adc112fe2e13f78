package import TributaryChanges

package enum SegmentFileKind: Hashable, Sendable {
    case segment(SegmentName)
    case baseline(sequence: UInt64)
    case comparison(of: BaselineName)
    /// Two programs have published under one name, for example a store and its copy.
    case conflictCopy(of: SegmentName)
    /// The segment name is a guess.
    case misnamed(SegmentName?, reason: String)
    case ignored

    package static func classify(_ name: String, writer: UniqueID) -> SegmentFileKind {
        if let segment = SegmentName(writer: writer, fileName: name) { return .segment(segment) }
        if name.utf8.count == 25, name.hasSuffix(".baseline"), let sequence = parseHexadecimal16(name.prefix(16)) {
            return .baseline(sequence: sequence)
        }
        if let baseline = BaselineComparison.baseline(ofFile: name) { return .comparison(of: baseline) }
        if let original = conflictOriginal(name, writer: writer) { return .conflictCopy(of: original) }
        return nearMiss(name, writer: writer) ?? .ignored
    }

    /// Returns the reason why an entry of the log folder is misnamed; nil for a writer's folder and for foreign files.
    package static func misnamed(inLogFolder name: String) -> String? {
        guard !ReplicatorName(name).belongsToReplicator, SegmentName.writer(folderName: name) == nil else { return nil }
        if name.lowercased().contains(".tlog") {
            return "A segment must be in its writer's folder, not beside it."
        }
        let digits = name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "}") }
        let isGrouped = name.utf8.count - digits.count <= 6
        guard digits.count == 32, isGrouped, digits.allSatisfy({ hexadecimalDigit($0) != nil }) else { return nil }
        return "The name of a writer's folder is a UUID in lower-case letters, such as \(exampleFolder)."
    }

    package static let foreignFolder =
        "It has segments, which are not read: the name of a writer's folder is a UUID in lower-case letters, such as "
        + "\(exampleFolder)."

    private static let exampleFolder = "0190f1a2-0000-7000-8000-000000000001"
    private static let exampleFile = "0000000000000001-0000000000000001.tlog"

    private static func nearMiss(_ name: String, writer: UniqueID) -> SegmentFileKind? {
        guard !ReplicatorName(name).belongsToReplicator else { return nil }
        let lower = name.lowercased()
        let ending = lower.firstRange(of: ".tlog")
        let parts = lower[..<(ending?.lowerBound ?? lower.endIndex)].split(
            separator: "-",
            omittingEmptySubsequences: false
        )
        let sequences = parts.compactMap(sequence)
        guard parts.count == 2, sequences.count == 2 else {
            guard ending != nil else { return nil }
            let rule = "A segment is named by its first and last sequence in 16 lower-case hexadecimal digits each"
            return .misnamed(nil, reason: "\(rule), such as \(exampleFile).")
        }
        // Two numbers without the ending may be the name of any file.
        guard ending != nil || parts.allSatisfy({ $0.utf8.count == 16 }) else { return nil }
        let meant = SegmentName(writer: writer, first: sequences[0], last: sequences[1])
        let rule = "Sequences have 16 lower-case hexadecimal digits and the name ends with .tlog"
        return .misnamed(meant, reason: "\(rule): it should be \(meant.fileName), if its numbers are hexadecimal.")
    }

    private static func sequence(_ text: Substring) -> UInt64? {
        guard (1...16).contains(text.utf8.count), text.utf8.allSatisfy({ hexadecimalDigit($0) != nil }) else {
            return nil
        }
        return UInt64(text, radix: 16)
    }

    private static func conflictOriginal(_ name: String, writer: UniqueID) -> SegmentName? {
        guard let length = ReplicatorName(name).conflictRangeLength else { return nil }
        let range = String(decoding: name.utf8.prefix(length), as: UTF8.self)
        return SegmentName(writer: writer, fileName: range + ".tlog")
    }
}
