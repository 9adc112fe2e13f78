/// Distinguishes a file from a former file of its name, without reading it.
///
/// It takes 16 bytes, since a backlog has many. It is for this process: the digest is another one in the next.
package struct FileIdentity: Hashable, Sendable {
    package let size: Int64
    private let digest: Int

    package init(_ attributes: FileAttributes) {
        size = attributes.size
        digest = attributes.hashValue
    }
}

/// What tells a file from a former file of its name.
package struct FileAttributes: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: FileTime
    /// The change time, which permissions and renames change too.
    package var changed: FileTime

    package init(
        device: UInt64 = 0,
        inode: UInt64,
        size: Int64,
        modified: FileTime = FileTime(),
        changed: FileTime = FileTime()
    ) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }
}
