import Testing
import TributarySync

@Suite("Kinds of file systems")
struct FileSystemKindTests {
    @Test(
        "a file system that other machines may have open is a network",
        arguments: [0x6969, 0xFF53_4D42, 0xFE53_4D42] as [UInt32]
    )
    func network(kind: UInt32) {
        #expect(FileSystemKind.isNetwork(kind))
        #expect(FileSystemKind.isRemote(kind))
    }

    @Test(
        "FUSE may be local, but does not tell of changes; ext4, btrfs and memory do",
        arguments: [0xEF53, 0x9123_683E, 0x0102_1994] as [UInt32]
    )
    func local(kind: UInt32) {
        #expect(!FileSystemKind.isNetwork(kind))
        #expect(!FileSystemKind.isRemote(kind))
        #expect(!FileSystemKind.isNetwork(0x6573_5546) && FileSystemKind.isRemote(0x6573_5546))
    }

    @Test("the file system of this process can be told, a path that is not there has none")
    func asked() {
        #expect(FileSystemKind.at("/proc") == 0x9FA0)
        #expect(FileSystemKind.at("/there/is/no/such/path") == 0)
    }
}
