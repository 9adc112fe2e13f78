import Glibc
import TributaryAdmin

extension Configuration {
    /// Replaces a symbolic link as the store by the file to which it leads; large values beside the link would not be
    /// found any more, which is an error.
    mutating func followStoreLink() throws(ConfigurationError) {
        let (link, file) = (store, RealPath.followingLink(store))
        guard file != link else { return }
        let (besideLink, besideFile) = (link + "-blobs", file + "-blobs")
        guard access(besideLink, F_OK) != 0 || RealPath.resolved(besideLink) == RealPath.resolved(besideFile) else {
            throw error(
                "'\(link)' is a symbolic link to '\(file)', and large values of the store lie beside the link; move them"
                    + " to the store: mv '\(besideLink)' '\(besideFile)'",
                in: \.store
            )
        }
        store = file
    }

    /// Replicators would copy the database while it is written, and would replace it with the copies of other machines.
    func checkStoreIsOutsideLogs() throws(ConfigurationError) {
        let (realStore, realLogs) = (RealPath.resolved(store), RealPath.resolved(logs))
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
}
