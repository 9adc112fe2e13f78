import Foundation
import Glibc
package import TributaryModel
import TributarySync

extension Configuration {
    /// Reads the model, and checks that the paths can be used, without creating anything.
    ///
    /// The folder of the socket is not checked when the service manager has created the socket.
    ///
    /// - Throws: ``ConfigurationError`` for the first path that cannot be used.
    package func checkPaths(inheritsSocket: Bool = false) throws(ConfigurationError) -> Model {
        let model = try readModel()
        try checkParent(of: store, key: .store)
        try checkFileSystem()
        if !inheritsSocket { try checkParent(of: socket, key: .adminSocket) }
        // The status reports a mount that does not respond; it must delay neither the start nor a reload.
        let logs = BoundedWait.result(within: Configuration.logsTimeLimit) { [self] in
            Result<Void, ConfigurationError> { () throws(ConfigurationError) in
                try checkLogs()
                try checkStoreIsOutsideLogs()
            }
        }
        try logs?.get()
        return model
    }

    /// The time limit for checking the log folder.
    private static let logsTimeLimit = Duration.seconds(2)

    private func readModel() throws(ConfigurationError) -> Model {
        guard let model else {
            throw ConfigurationError(
                "no model is given: say --model PATH, TRIBUTARY_MODEL, or 'model:' in the configuration file",
                key: "model"
            )
        }
        let origin = self[.model].origin
        guard FileManager.default.fileExists(atPath: model) else {
            throw ConfigurationError("'\(model)' does not exist", key: .model, origin: origin)
        }
        do {
            return try Model(contentsOf: model)
        } catch {
            throw ConfigurationError("it cannot be used: \(error)", key: .model, origin: origin)
        }
    }

    private func checkParent(of path: String, key: ConfigurationKey) throws(ConfigurationError) {
        let origin = self[key].origin
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw ConfigurationError("'\(path)' is a folder", key: key, origin: origin)
        }
        var folder = (path as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), folder != "/" {
            folder = (folder as NSString).deletingLastPathComponent
        }
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ConfigurationError("'\(folder)' is not a folder", key: key, origin: origin)
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ConfigurationError(
                "the folder '\(folder)' cannot be written: \(String(cString: strerror(errno)))",
                key: key,
                origin: origin
            )
        }
    }

    /// Checks that the file system has shared memory, which SQLite's write-ahead log needs for all processes that open
    /// the store.
    private func checkFileSystem() throws(ConfigurationError) {
        var folder = (store as NSString).deletingLastPathComponent
        while !FileManager.default.fileExists(atPath: folder), folder != "/" {
            folder = (folder as NSString).deletingLastPathComponent
        }
        guard FileSystemKind.isNetwork(FileSystemKind.at(folder)) else { return }
        throw ConfigurationError(
            "'\(folder)' is on a network file system; a store must be on a disk of this machine, the log folder may be shared",
            key: .store,
            origin: self[.store].origin
        )
    }

    /// Checks that a configured log folder exists: an unmounted share must not be replaced by an empty folder.
    private func checkLogs() throws(ConfigurationError) {
        let origin = self[.logs].origin
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: logs, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw ConfigurationError("'\(logs)' is not a folder", key: .logs, origin: origin)
            }
            guard access(logs, R_OK | X_OK) == 0 else {
                throw ConfigurationError(
                    "the folder '\(logs)' cannot be read: \(String(cString: strerror(errno)))",
                    key: .logs,
                    origin: origin
                )
            }
        } else if origin != .standard {
            throw ConfigurationError(
                "the folder '\(logs)' does not exist; it is made only in its default place, since it may be a share"
                    + " that is not mounted",
                key: .logs,
                origin: origin
            )
        }
    }

    /// Creates the folders that may be created: the parents of the store and the socket, and the log folder at its
    /// default path.
    ///
    /// - Throws: ``ConfigurationError`` when a folder cannot be created.
    package func createFolders(inheritsSocket: Bool = false) throws(ConfigurationError) {
        try makeFolder((store as NSString).deletingLastPathComponent, mode: 0o750, key: .store)
        if !inheritsSocket {
            try makeFolder((socket as NSString).deletingLastPathComponent, mode: 0o750, key: .adminSocket)
        }
        // A configured log folder existed when it was checked, or it does not respond.
        guard self[.logs].origin == .standard else { return }
        let made = BoundedWait.result(within: Configuration.logsTimeLimit) { [self] in
            Result<Void, ConfigurationError> { () throws(ConfigurationError) in try makeLogs() }
        }
        try made?.get()
    }

    private func makeLogs() throws(ConfigurationError) {
        guard !FileManager.default.fileExists(atPath: logs) else { return }
        try makeFolder(logs, mode: 0o770, key: .logs)
        // A sandbox may forbid the setgid bit; files in the folder then have the daemon's group.
        chmod(logs, 0o2770)
    }

    private func makeFolder(_ path: String, mode: Int, key: ConfigurationKey) throws(ConfigurationError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: mode]
            )
        } catch {
            throw ConfigurationError(
                "the folder '\(path)' cannot be made: \(error.localizedDescription)",
                key: key,
                origin: self[key].origin
            )
        }
    }
}
