import Glibc

package enum RealPath {
    private static let mostLinks = 40

    /// Returns the target of a symbolic link, even if the target is missing.
    ///
    /// SQLite keeps its other files next to the real file. The lock of a store must be there too, or a store would have
    /// two locks under two names.
    package static func followingLink(_ path: String) -> String {
        var target = [CChar](repeating: 0, count: 1)
        return readlink(path, &target, target.count) > 0 ? resolved(path) : path
    }

    /// A path that is too long for the system is returned unchanged.
    package static func resolved(_ path: String) -> String {
        path.utf8.count < Int(PATH_MAX) ? resolved(path, links: 0) : path
    }

    private static func resolved(_ path: String, links: Int) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        guard path != "/", !path.isEmpty, links < mostLinks else { return path }
        let parts = path.split(separator: "/")
        let (name, parent) = (parts.last.map(String.init) ?? "", "/" + parts.dropLast().joined(separator: "/"))
        let folder = resolved(parent, links: links + 1)
        let here = (folder == "/" ? "" : folder) + "/" + name
        // The path is a symbolic link to a missing file.
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(here, &target, target.count - 1)
        guard length > 0 else { return here }
        let text = String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return resolved(text.hasPrefix("/") ? text : folder + "/" + text, links: links + 1)
    }
}
