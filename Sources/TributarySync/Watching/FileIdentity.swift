/// Distinguishes a file from the one that was there before under its name, without reading it.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    package var modified: FileTime
    /// Moves with permissions and names, too.
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
