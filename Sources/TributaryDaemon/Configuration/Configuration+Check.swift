import Dispatch
import Foundation
import Glibc
import Synchronization
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributarySync

extension Configuration {
    /// Reads the model, and checks the paths without creating anything; not the folder of an inherited socket.
    func checkPaths(inheritsSocket: Bool = false) throws(ConfigurationError) -> Model {
        let model = try readModel()
        try checkParent(of: store, at: \.store)
        for file in [store, store + "-wal", store + "-shm"] where access(file, F_OK) == 0 && access(file, W_OK) != 0 {
            let code = errno
            let reason = String(cString: strerror(code))
            throw error("the store's file '\(file)' cannot be written: \(reason)", in: \.store, code: code)
        }
        try checkFileSystem()
        if !inheritsSocket { try checkParent(of: admin.socket, at: \.admin.socket) }
        try checkReplicator()
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

    private static let logsTimeLimit = Duration.seconds(2)

    private func checkReplicator() throws(ConfigurationError) {
        let syncthing = replicator.syncthing
        if syncthing.folder != nil, syncthing.keyFile == nil {
            throw error(
                "needs replicator.syncthing.key_file, a file with Syncthing's API key",
                in: \.replicator.syncthing.folder
            )
        }
        if syncthing.keyFile != nil, syncthing.folder == nil {
            throw error(
                "needs replicator.syncthing.folder, the ID of the log folder in Syncthing",
                in: \.replicator.syncthing.keyFile
            )
        }
    }

    mutating func readEncryptionKeys() throws(ConfigurationError) {
        let isRequired = sync.encryption.isRequired
        guard let path = encryptionKeyFile else {
            guard !isRequired else {
                throw error("needs encryption.key_file, a file with the keys", in: \.sync.encryption.isRequired)
            }
            return
        }
        do {
            sync.encryption = try EncryptionKeys(file: path)
        } catch let failure {
            throw error("\(failure)", in: \.encryptionKeyFile, code: failure.code)
        }
        sync.encryption.isRequired = isRequired
    }

    private func readModel() throws(ConfigurationError) -> Model {
        guard let model else {
            throw error(
                "no model is given: type --model PATH, set TRIBUTARY_MODEL, or write 'model: PATH' in the configuration file",
                in: \.model
            )
        }
        guard try exists(model, in: \.model) else { throw error("'\(model)' does not exist", in: \.model) }
        // The place of the mistake comes first.
        let place = self[originOf: \.model].location.map { ", which \($0) names," } ?? ""
        func refusal(_ reason: String, code: Int32? = nil) -> ConfigurationError {
            ConfigurationError(reason: "\(reason) (the model\(place) cannot be used)", code: code)
        }
        let read: Model
        do {
            read = try Model(contentsOf: model)
        } catch let failure {
            throw refusal("\(failure)", code: failure.code)
        }
        // The start would first migrate the store to this model, and then fail.
        let problems = read.derivationProblems
        guard problems.isEmpty else { throw refusal("\(model): \(DerivationProblem.text(of: problems))") }
        return read
    }

    private func checkParent(of path: String, at field: Field) throws(ConfigurationError) {
        guard !Configuration.isFolder(path) else { throw error("'\(path)' is a folder", in: field) }
        _ = try exists(path.folder, in: field)
        let folder = Configuration.existingParent(of: path)
        guard Configuration.isFolder(folder) else { throw error("'\(folder)' is not a folder", in: field) }
        guard access(folder, W_OK | X_OK) == 0 else {
            let (code, reason) = (errno, String(cString: strerror(errno)))
            throw error("the folder '\(folder)' cannot be written: \(reason)", in: field, code: code)
        }
    }

    /// False for a file that the caller may not see.
    private func exists(_ path: String, in field: Field) throws(ConfigurationError) -> Bool {
        do throws(FileFailure) {
            return try FileFailure.exists(path)
        } catch {
            guard ExitStatus(passing: error.code) != nil else { return false }
            throw self.error("\(error)", in: field, code: error.code)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func existingParent(of path: String) -> String {
        var folder = path.folder
        while !FileManager.default.fileExists(atPath: folder), !["/", "."].contains(folder) { folder = folder.folder }
        return folder
    }

    /// The write-ahead log of SQLite needs shared memory, which network file systems do not have.
    private func checkFileSystem() throws(ConfigurationError) {
        let folder = Configuration.existingParent(of: store)
        guard FileSystemKind.isNetwork(FileSystemKind.at(folder)) else { return }
        throw error(
            "'\(folder)' is on a network file system; a store must be on a disk of this machine, the log folder may be shared",
            in: \.store
        )
    }

    /// An unmounted share must not be replaced by an empty folder.
    private func checkLogs() throws(ConfigurationError) {
        if try exists(logs, in: \.logs) {
            guard Configuration.isFolder(logs) else { throw error("'\(logs)' is not a folder", in: \.logs) }
            guard access(logs, R_OK | X_OK) == 0 else {
                let (code, reason) = (errno, String(cString: strerror(errno)))
                throw error("the folder '\(logs)' cannot be read: \(reason)", in: \.logs, code: code)
            }
        } else if self[originOf: \.logs] != .standard {
            throw error(
                "the folder '\(logs)' does not exist; it is made only in its default place, since it may be a share"
                    + " that is not mounted. Mount it, or make an empty one: \(Accounts.commandToMakeLogFolder(logs))",
                in: \.logs
            )
        }
    }

    /// The parents of the store and the socket, and the log folder at its default path.
    func createFolders(inheritsSocket: Bool) throws(ConfigurationError) {
        try makeFolder(store.folder, mode: 0o750, at: \.store)
        if !inheritsSocket {
            try makeFolder(admin.socket.folder, mode: 0o750, at: \.admin.socket)
        }
        // A configured log folder existed when it was checked, or it does not respond.
        guard self[originOf: \.logs] == .standard else { return }
        let made = BoundedWait.result(within: Configuration.logsTimeLimit) { [self] in
            Result<Void, ConfigurationError> { () throws(ConfigurationError) in try makeLogs() }
        }
        try made?.get()
    }

    private func makeLogs() throws(ConfigurationError) {
        guard !FileManager.default.fileExists(atPath: logs) else { return }
        try makeFolder(logs, mode: 0o770, at: \.logs)
        // A sandbox may forbid the setgid bit; files in the folder then have the daemon's group.
        chmod(logs, 0o2770)
    }

    private func makeFolder(_ path: String, mode: Int, at field: Field) throws(ConfigurationError) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: mode]
            )
        } catch let failure {
            throw error(
                "the folder '\(path)' cannot be made: \(failure.localizedDescription)",
                in: field,
                code: FileFailure.code(of: failure)
            )
        }
    }
}

extension Configuration {
    /// Refuses a link with large values next to it, because they would be lost.
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
            "the store \(described(store, realStore)) is in the log folder \(described(logs, realLogs)): a replicator of "
                + "the folder would destroy the database; move the store or the log folder",
            in: \.store
        )
    }

    private static func isPath(_ path: String, in folder: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }
}

enum BoundedWait {
    static func result<T: Sendable>(within timeLimit: Duration, _ body: @escaping @Sendable () -> T) -> T? {
        let box = ResultBox<T>()
        Thread.detachNewThread {
            let result = body()
            box.result.withLock { $0 = result }
            box.isDone.signal()
        }
        let (seconds, attoseconds) = timeLimit.components
        let wait = DispatchTimeInterval.milliseconds(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
        guard box.isDone.wait(timeout: .now() + wait) == .success else { return nil }
        return box.result.withLock(\.self)
    }

    private final class ResultBox<T: Sendable>: Sendable {
        let result = Mutex<T?>(nil)
        let isDone = DispatchSemaphore(value: 0)
    }
}
