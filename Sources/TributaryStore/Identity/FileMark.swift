import CLinux
import TributaryChanges

/// The marks that tell a file or a folder from others, also from copies of it.
package struct FileMark: Hashable, Sendable {
    package var inode: UInt64
    /// The birth time in nanoseconds since 1970; 0 when it is not known.
    package var born: Int64
    /// The number of the file system, which another boot or mount may change.
    package var fileSystem: UInt64

    package init(inode: UInt64, born: Int64, fileSystem: UInt64) {
        self.inode = inode
        self.born = born
        self.fileSystem = fileSystem
    }

    /// Reads the mark of the file at the path, behind symbolic links; nil when there is none.
    ///
    /// The birth time is 0 when the file system records none.
    package init?(ofFile path: String) {
        var mark = clinux_file_mark()
        guard clinux_read_file_mark(path, &mark) == 0 else { return nil }
        self.init(inode: mark.inode, born: mark.born, fileSystem: mark.file_system)
    }

    /// Whether the two marks may be those of one file, on a file system that has another number after a boot.
    func mayBeSame(as other: FileMark) -> Bool {
        inode == other.inode && (born == 0 || other.born == 0 || born == other.born)
    }

    /// Whether the two marks are those of one file.
    ///
    /// The number of the file system decides only where a birth time is not known.
    package func isSame(as other: FileMark) -> Bool {
        guard inode == other.inode else { return false }
        guard born != 0, other.born != 0 else { return fileSystem == other.fileSystem }
        return born == other.born
    }
}
