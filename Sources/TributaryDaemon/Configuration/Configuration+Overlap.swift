import Glibc

extension Configuration {
    /// Checks that the store does not lie in the log folder: replicators would copy the database while it is written, and
    /// would put other machines' copies in its place.
    ///
    /// - Throws: ``ConfigurationError`` that names both places.
    func checkStoreIsOutsideLogs() throws(ConfigurationError) {
        let (realStore, realLogs) = (Configuration.resolved(store), Configuration.resolved(logs))
        guard Configuration.isPath(realStore, in: realLogs) else { return }
        func described(_ path: String, _ real: String) -> String {
            path == real ? "'\(path)'" : "'\(path)' ('\(real)')"
        }
        throw ConfigurationError(
            "the store \(described(store, realStore)) lies in the log folder \(described(logs, realLogs)): what replicates"
                + " the folder would destroy the database; put one of them elsewhere",
            key: .store,
            origin: self[.store].origin
        )
    }

    private static func isPath(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// Links in a row that are followed, as many as the system does.
    private static let mostLinks = 40

    /// The path without symbolic links; of what does not exist yet, where it would be made.
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
        // A link to what is not there yet.
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink(here, &target, target.count - 1)
        guard length > 0 else { return here }
        let text = String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return resolved(text.hasPrefix("/") ? text : folder + "/" + text, links: links + 1)
    }
}
