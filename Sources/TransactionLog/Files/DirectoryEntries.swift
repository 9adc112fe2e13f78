import Glibc

/// The entries of an open folder, with the kind and inode that the listing reports.
package struct DirectoryEntries: ~Copyable {
    package enum Kind {
        case regular
        case folder
        case link
        case pipe
        case socket
        case device
        case unknown
    }

    private let stream: OpaquePointer
    private let nameOffset: Int

    package init?(of descriptor: Int32) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        guard let stream = fdopendir(own) else {
            close(own)
            return nil
        }
        rewinddir(stream)
        self.stream = stream
        nameOffset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 19
    }

    deinit { closedir(stream) }

    /// The name's bytes are valid until `block` returns; returns false when an error has interrupted the listing.
    package func forEach(_ block: (_ name: UnsafeRawBufferPointer, _ kind: Kind, _ inode: UInt64) -> Void) -> Bool {
        forEachWhile { name, kind, inode in
            block(name, kind, inode)
            return true
        }
    }

    package func forEachWhile(
        _ block: (_ name: UnsafeRawBufferPointer, _ kind: Kind, _ inode: UInt64) -> Bool
    ) -> Bool {
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 }
            let name = UnsafeRawPointer(entry) + nameOffset
            let length = strlen(name.assumingMemoryBound(to: CChar.self))
            let bytes = UnsafeRawBufferPointer(start: name, count: length)
            guard block(bytes, Kind(type: entry.pointee.d_type), UInt64(entry.pointee.d_ino)) else { return true }
        }
    }
}

extension DirectoryEntries.Kind {
    init(type: UInt8) {
        self.init(mode: UInt32(type) << 12)
    }

    package init(mode: UInt32) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .folder
        case S_IFLNK: self = .link
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        case S_IFCHR, S_IFBLK: self = .device
        default: self = .unknown
        }
    }

    package var words: String {
        switch self {
        case .regular: "a regular file"
        case .folder: "a folder"
        case .link: "a symbolic link"
        case .pipe: "a named pipe"
        case .socket: "a socket"
        case .device: "a device"
        case .unknown: "something unknown"
        }
    }
}
