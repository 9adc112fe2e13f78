import Glibc

package enum RealPath {
    /// The greatest number of consecutive symbolic links, as the system has it.
    private static let mostLinks = 40

    /// Returns the file to which a symbolic link leads, whether it exists or not; the path itself when it is no link.
    ///
    /// SQLite keeps its other files beside the file itself, under whatever name it is opened. What belongs to a store
    /// and is not SQLite's, above all its lock, must be there too: otherwise a store has two locks under two names.
    package static func followingLink(_ path: String) -> String {
        var target = [CChar](repeating: 0, count: 1)
        return readlink(path, &target, target.count) > 0 ? resolved(path) : path
    }

    /// Returns the path without symbolic links; for a missing file, the path at which it would be created.
    ///
    /// A path that is too long for the system leads nowhere, and stays as it is.
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
