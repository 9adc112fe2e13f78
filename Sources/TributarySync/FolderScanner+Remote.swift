import CLinux

extension FolderScanner {
    /// File systems of other machines and of programs do not tell of every change: NFS, SMB, CIFS, FUSE, Ceph, 9P.
    private static let remoteKinds: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x00C3_6400, 0x0102_1997,
    ]

    static func isRemote(_ path: String) -> Bool { remoteKinds.contains(clinux_file_system(path)) }
}
