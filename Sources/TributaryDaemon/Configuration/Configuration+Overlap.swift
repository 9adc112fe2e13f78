import Glibc

extension Configuration {
    /// Checks that the store is not in the log folder: replicators would copy the database while it is written, and
    /// would replace it with the copies of other machines.
    ///
    /// - Throws: ``ConfigurationError`` that names both paths.
    func checkStoreIsOutsideLogs() throws(ConfigurationError) {
        let (realStore, realLogs) = (Configuration.resolved(store), Configuration.resolved(logs))
        guard Configuration.isPath(realStore, in: realLogs) else { return }
        func described(_ path: String, _ real: String) -> String {
            path == real ? "'\(path)'" : "'\(path)' ('\(real)')"
        }
        throw error(
            "the store \(described(store, realStore)) lies in the log folder \(described(logs, realLogs)): what replicates"
                + " the folder would destroy the database; put one of them elsewhere",
            in: \.store
        )
    }

    private static func isPath(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// The greatest number of consecutive symbolic links, as the system has it.
    private static let mostLinks = 40

    /// Returns the path without symbolic links; for a missing file, the path at which it would be created.
    private static func resolved(_ path: String, links: Int = 0) -> String {
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
