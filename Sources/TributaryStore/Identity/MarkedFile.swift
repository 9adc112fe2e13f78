package struct MarkedFile: Hashable, Sendable {
    package var path: String
    package var mark: FileMark

    package init(path: String, mark: FileMark) {
        self.path = path
        self.mark = mark
    }

    /// Reads the mark of the file at the path; nil when there is none.
    package init?(at path: String) {
        guard let mark = FileMark(ofFile: path) else { return nil }
        self.init(path: path, mark: mark)
    }

    /// Reads the text that ``text`` writes.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let inode = UInt64(parts[0]), let born = Int64(parts[1]),
            let fileSystem = UInt64(parts[2])
        else { return nil }
        self.init(path: String(parts[3]), mark: FileMark(inode: inode, born: born, fileSystem: fileSystem))
    }

    /// `<inode> <birth in nanoseconds> <file system> <path>`.
    package var text: String { "\(mark.inode) \(mark.born) \(mark.fileSystem) \(path)" }
}
