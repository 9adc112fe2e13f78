import Glibc

/// Looks up users and groups of the system by calls that several threads may make at once.
enum Accounts {
    /// The buffer sizes to try: a group with very many members needs more than the system proposes.
    private static let sizes = [1 << 12, 1 << 16, 1 << 20]

    static func userName(of id: uid_t) -> String? {
        query { buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(id, &entry, buffer, size, &found)
            guard let name = found?.pointee.pw_name else { return (status, nil) }
            return (status, String(cString: name))
        }
    }

    static func groupID(named name: String) -> gid_t? {
        query { buffer, size in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let status = getgrnam_r(name, &entry, buffer, size, &found)
            return (status, found?.pointee.gr_gid)
        }
    }

    private static func query<T>(
        _ call: (UnsafeMutablePointer<CChar>, Int) -> (status: Int32, value: T?)
    ) -> T? {
        for size in sizes {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (status, value) = call(buffer, size)
            if status != ERANGE { return value }
        }
        return nil
    }
}
