/// A blob that a segment names with a size that no file has, or that its file has not: waiting alone may not help.
package struct BlobFault: Hashable, Sendable {
    /// The greatest size of a file on ext4, which is far beyond what any writer exports.
    static let largestFile: Int64 = 16 << 40

    package var sha256: String
    package var size: Int64
    /// The size of the file of that name; nil when there is no regular one.
    package var found: Int64?

    /// Whether no file can have the size.
    var isImpossible: Bool { size > BlobFault.largestFile }

    /// Whether waiting helps nothing: a file that is being copied has fewer bytes than it will have.
    var isLasting: Bool { isImpossible || found.map { $0 > size } ?? false }

    var text: String {
        if isImpossible { return "It names \(size) bytes for blob \(sha256), which no file can have." }
        let there = found.map { "the file has \($0)" } ?? "there is no such file"
        return "It names \(size) bytes for blob \(sha256); \(there)."
    }

    /// The remedy, which ends with a command.
    ///
    /// - Returns: The remedy; nil when the replicator may still bring the blob.
    func hint(for path: String) -> String? {
        guard isLasting else { return nil }
        let cause = isImpossible ? "The blob never comes" : "The file is not that blob, or the size is wrong"
        return "\(cause). Have the writer's program write the right size, then: tributaryctl segment retry \(path)"
    }
}
