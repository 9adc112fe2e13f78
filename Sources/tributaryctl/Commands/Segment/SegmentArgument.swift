import ArgumentParser

/// A segment as its path in the log folder: `WRITER/FIRST-LAST`, optionally with `.tlog` and with the folder's path.
struct SegmentArgument: ExpressibleByArgument {
    let writer: String
    let range: String

    init?(argument: String) {
        let parts = argument.split(separator: "/")
        guard parts.count >= 2, let name = parts.last else { return nil }
        let bare = name.hasSuffix(".tlog") ? name.dropLast(5) : name
        guard bare.split(separator: "-").count == 2 else { return nil }
        writer = String(parts[parts.count - 2])
        range = String(bare)
    }
}
