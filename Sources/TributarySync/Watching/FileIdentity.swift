/// Distinguishes a file from a former file of its name, without reading it.
package struct FileIdentity: Hashable, Sendable {
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
