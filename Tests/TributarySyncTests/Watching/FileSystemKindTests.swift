import Testing
import TributarySync

/// Whether other machines may have a file system open, and whether it tells of all changes.
@Suite struct FileSystemKindTests {
    @Test(
        arguments: [
            (0x6969, true, true), (0xFF53_4D42, true, true), (0xFE53_4D42, true, true),
            // FUSE may be local, but does not tell of changes; ext4, btrfs and memory do.
            (0x6573_5546, false, true), (0xEF53, false, false), (0x9123_683E, false, false),
            (0x0102_1994, false, false),
        ] as [(UInt32, Bool, Bool)]
    )
    func kindsAreKnown(kind: UInt32, isNetwork: Bool, isRemote: Bool) {
        #expect(FileSystemKind.isNetwork(kind) == isNetwork && FileSystemKind.isRemote(kind) == isRemote)
    }

    @Test func aPathThatIsNotThereHasNone() {
        #expect(FileSystemKind.at("/proc") == 0x9FA0)
        #expect(FileSystemKind.at("/there/is/no/such/path") == 0)
    }
}
