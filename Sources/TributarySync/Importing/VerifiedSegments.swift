import TransactionLog

/// A cache of the newest verified segments until they are applied, with at least `limit` and at most twice as many.
struct VerifiedSegments {
    private struct Known {
        var file: FileIdentity
        var segment: VerifiedSegment
    }

    private let limit: Int
    private var newer: [SegmentName: Known] = [:]
    private var older: [SegmentName: Known] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    mutating func insert(_ segment: VerifiedSegment, file: FileIdentity) {
        if newer.count >= limit { (older, newer) = (newer, [:]) }
        newer[segment.name] = Known(file: file, segment: segment)
    }

    /// The segment, if exactly this file was verified.
    func segment(_ name: SegmentName, file: FileIdentity) -> VerifiedSegment? {
        guard let known = newer[name] ?? older[name], known.file == file else { return nil }
        return known.segment
    }

    mutating func remove(_ name: SegmentName) {
        newer[name] = nil
        older[name] = nil
    }
}
