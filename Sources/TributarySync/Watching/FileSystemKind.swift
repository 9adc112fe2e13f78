import CLinux

/// The kinds of file systems, by the numbers of statfs(2).
package enum FileSystemKind {
    /// NFS, SMB, CIFS, SMB2, Ceph, 9P: other machines may have a file open at the same time.
    private static let network: Set<UInt32> = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x00C3_6400, 0x0102_1997]
    private static let fuse: UInt32 = 0x6573_5546

    /// Whether other machines may write to the file system.
    ///
    /// Locks and shared memory do not reach them, so no store may be there.
    package static func isNetwork(_ kind: UInt32) -> Bool { network.contains(kind) }

    /// Whether other machines may make changes without an inotify event on this machine.
    package static func isRemote(_ kind: UInt32) -> Bool { isNetwork(kind) || kind == fuse }

    /// The number of the file system at `path`; 0 when it cannot be determined.
    package static func at(_ path: String) -> UInt32 { clinux_file_system(path) }
}
