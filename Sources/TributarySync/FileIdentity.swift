/// What tells a file from the one that was there before under its name, without reading it.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// Nanoseconds.
    package var modified: Int64
    /// Nanoseconds; moves with permissions and names, too.
    package var changed: Int64

    package init(device: UInt64 = 0, inode: UInt64, size: Int64, modified: Int64, changed: Int64 = 0) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }
}
