import Foundation
package import Glibc
import TributaryChanges

package enum Accounts {
    private static let sizes = [1 << 12, 1 << 16, 1 << 20]

    package static func userName(of id: uid_t) -> String? {
        query { buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let status = getpwuid_r(id, &entry, buffer, size, &found)
            guard let name = found?.pointee.pw_name else { return (status, nil) }
            return (status, String(cString: name))
        }
    }

    package static func groupID(named name: String) -> gid_t? {
        query { buffer, size in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            let status = getgrnam_r(name, &entry, buffer, size, &found)
            return (status, found?.pointee.gr_gid)
        }
    }

    package static func groupMeant(by name: String) -> String? {
        let lines = (try? String(contentsOfFile: "/etc/group", encoding: .utf8))?.split(separator: "\n") ?? []
        return name.nearest(in: lines.compactMap { $0.split(separator: ":").first.map(String.init) })
    }

    package static func commandToMakeLogFolder(_ folder: String) -> String {
        let isRoot = geteuid() == 0
        guard let group = groupID(named: logGroup), isRoot || isOwn(group),
            // Root checks the configuration of the service.
            let user = isRoot ? serviceUser : userName(of: geteuid())
        else { return "install -d -m 2770 \(folder.shellWord)" }
        return "sudo install -d -m 2770 -o \(user) -g \(logGroup) \(folder.shellWord)"
    }

    private static let (logGroup, serviceUser) = ("tributary-logs", "tributary")

    private static func isOwn(_ group: gid_t) -> Bool {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return getegid() == group || groups.prefix(Int(max(0, count))).contains(group)
    }

    private static func query<T>(_ call: (UnsafeMutablePointer<CChar>, Int) -> (status: Int32, value: T?)) -> T? {
        for size in sizes {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (status, value) = call(buffer, size)
            if status != ERANGE { return value }
        }
        return nil
    }
}
