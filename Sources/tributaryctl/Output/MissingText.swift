import TributaryAdmin

/// Formats what a segment waits for, and who has it.
enum MissingText {
    private static let limit = 8

    /// Returns lines such as `transactions 3-6 of till (UUID); it wrote them, office (UUID) has applied them`.
    static func lines(_ missing: [MissingMessage]) -> [String] {
        missing.prefix(limit).map { part in
            let (what, them) =
                if let blob = part.blob {
                    ("blob \(blob)", "it")
                } else if part.first == part.last {
                    ("transaction \(part.first ?? 0)", "it")
                } else {
                    ("transactions \(part.first ?? 0)-\(part.last ?? 0)", "them")
                }
            let holders = part.holders.prefix(limit).map { holder in
                switch holder.cause {
                case "wrote": "its machine wrote \(them)"
                case "file": "the folder of \(label(holder.writer, holder.name)) has a file of this name"
                default: "\(label(holder.writer, holder.name)) has applied \(them)"
                }
            }
            return "\(what) of \(label(part.writer, part.writerName)); \(holders.joined(separator: ", "))"
        } + (missing.count > limit ? ["and \(missing.count - limit) more"] : [])
    }

    /// Returns `NAME (UUID)`, or the UUID of a writer without a name.
    static func label(_ writer: String, _ name: String?) -> String { name.map { "\($0) (\(writer))" } ?? writer }
}
