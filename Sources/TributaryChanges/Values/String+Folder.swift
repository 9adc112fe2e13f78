extension String {
    /// As dirname(3): "." of a name alone; NSString's function traps for a name with a single character.
    package var folder: String {
        let path = self[...].withoutSlashes
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        let folder = path[..<slash].withoutSlashes
        return folder.isEmpty ? "/" : String(folder)
    }
}

extension Substring {
    fileprivate var withoutSlashes: Substring {
        var path = self
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") {
            path = path[..<path.utf8.index(before: path.endIndex)]
        }
        return path
    }
}
