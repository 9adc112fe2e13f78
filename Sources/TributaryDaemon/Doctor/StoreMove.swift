import CLinux
import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges
import TributarySync

/// Moves the store of a service, with all its files, to another folder of this machine.
///
/// The files are linked or copied to the new place before the configuration names it, and are removed from the old place
/// last, so an interruption loses nothing.
struct StoreMove {
    private let sources: ConfigurationSources
    private let unit: UnitFacts
    private let configuration: Configuration
    private let folder: String

    private var store: String { configuration.store }
    private var newStore: String { folder + "/" + (store as NSString).lastPathComponent }

    init(_ daemon: Daemon, to folder: String) throws {
        guard geteuid() == 0 else {
            let reason = "only root can move a store: sudo tributaryctl store move \(folder.shellWord)"
            throw StartFailure(reason, status: .notPermitted)
        }
        guard !folder.isEmpty else { throw StartFailure("the new folder of the store has no name", status: .usage) }
        let service = daemon.sources.meaningService
        guard let unit = service.unit else {
            let reason =
                "this machine has no unit for \(service.file ?? "this configuration"): stop the daemon, move the store's "
                + "file and the files that have its name as a prefix, and set store: in the configuration to the new place"
            throw StartFailure(reason, status: .unavailable)
        }
        self.unit = unit
        sources = service.examined(as: unit)
        configuration = try Configuration.load(sources)
        self.folder = RealPath.resolved(
            (ConfigurationFile.absolute(folder, in: sources.workingDirectory) as NSString).standardizingPath
        )
        try check()
    }

    /// Finds every reason to refuse the move while the service still runs.
    private func check() throws {
        guard access(store, F_OK) == 0 else { throw refusal("the store '\(store)' does not exist", .noSuchThing) }
        let name = (store as NSString).lastPathComponent
        if access(folder, F_OK) == 0 {
            guard let there = try? StoreMove.files(ofStore: name, in: folder) else {
                throw refusal("'\(folder)' is not a folder", .usage)
            }
            if let file = there.first { throw refusal("there is a file '\(folder)/\(file)' already", .usage) }
        }
        switch configuration[originOf: \.store] {
        case .environment(let name), .flag(let name):
            throw refusal(
                "\(name) sets the place of the store: move the files by hand, then set the new place there",
                .usage
            )
        case .standard, .file, .serviceManager: break
        }
        try checkPath()
        try checkPlace()
        guard try !areOnOneDisk(existingFolder, store.folder) else { return }
        let (size, free) = (
            try files().reduce(0) { try $0 + bytes($1) }, DiskVolume(of: existingFolder, .store)?.free ?? .max
        )
        guard size < free else {
            let words =
                "the store has \(ByteText.text(size)), and the disk of '\(existingFolder)' has \(ByteText.text(free)) free"
            throw refusal(words, .inputOutput)
        }
    }

    /// Refuses a folder below a file, and names that are too long for the system.
    private func checkPath() throws {
        let longest = folder.split(separator: "/").map(\.utf8.count).max() ?? 0
        // The longest name of a file beside the store ends with a time.
        guard longest <= Int(NAME_MAX), newStore.utf8.count + 100 < Int(PATH_MAX) else {
            throw refusal("'\(folder)': \(String(cString: strerror(ENAMETOOLONG)))", .usage)
        }
        let place = existingFolder
        guard try status(of: place).mode & S_IFMT == S_IFDIR else {
            throw refusal("'\(place)' is not a folder", .usage)
        }
    }

    /// Refuses a folder that others can replace while root works in it, and a file system without shared memory.
    private func checkPlace() throws {
        var moved = configuration
        moved.store = newStore
        try moved.checkStoreIsOutsideLogs()
        guard !FileSystemKind.isNetwork(FileSystemKind.at(existingFolder)) else {
            throw refusal(
                "'\(existingFolder)' is on a network file system; a store must be on a disk of this machine",
                .usage
            )
        }
        let owner = try status(of: store.folder)
        var place = existingFolder
        while true {
            let status = try status(of: place, follows: false)
            let isOwners = place == folder && status.user == owner.user
            let isSafe =
                (status.user == 0 || isOwners) && (status.mode & 0o022 == 0 || status.mode & S_ISVTX != 0)
            guard isSafe else {
                let words =
                    "users other than root can replace '\(place)': name a folder below folders of root, such as /srv/tributary"
                throw refusal(words, .notPermitted)
            }
            if place == "/" { return }
            place = place.folder
        }
    }

    private func refusal(_ reason: String, _ status: ExitStatus) -> StartFailure {
        StartFailure("the store is not moved: \(reason)", status: status)
    }

    private var existingFolder: String { missingFolders.last?.folder ?? folder }

    private func status(of path: String, follows: Bool = true) throws -> clinux_file_owner {
        var status = clinux_file_owner()
        guard clinux_read_file_owner(path, follows ? 1 : 0, &status) == 0 else {
            throw refusal("'\(path)': \(String(cString: strerror(errno)))", .inputOutput)
        }
        return status
    }

    private func areOnOneDisk(_ path: String, _ other: String) throws -> Bool {
        try status(of: path).device == status(of: other).device
    }

    /// The main file comes last; shared memory is created again.
    private func files() throws -> [String] {
        let name = (store as NSString).lastPathComponent
        return try StoreMove.files(ofStore: name, in: store.folder).filter { $0 != name && $0 != name + "-shm" } + [
            name
        ]
    }

    /// Includes files of a former store: its write-ahead log would be applied to the next store of its name.
    static func files(ofStore name: String, in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { other in
            // Another store in the folder may be called `store.sqlite.second`.
            other == name || other.hasPrefix(name + "-") || [".lock", ".restored"].contains { other == name + $0 }
        }
        .sorted()
    }

    private func bytes(_ name: String) throws -> Int64 {
        let path = store.folder + "/" + name
        let inside = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return try ([path] + inside.map { path + "/" + $0 }).reduce(0) { sum, file in
            let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
            return sum.addingSaturating(size?.int64Value ?? 0)
        }
    }

    /// Starts the service again if it ran.
    func run(_ tell: (String) -> Void) throws {
        let wasActive = unit.isActive
        if wasActive {
            try system("systemctl", "stop", unit.name)
            tell("stopped \(unit.name)")
        }
        do {
            try moveAll(tell)
        } catch {
            if wasActive { try? system("systemctl", "start", unit.name) }
            throw error
        }
        if wasActive {
            try system("systemctl", "start", unit.name)
            tell("started \(unit.name)")
        } else {
            tell("to start it: systemctl start \(unit.name)")
        }
        let restore = sources.paths.store == newStore ? "" : "; restore needs --store \(newStore.shellWord) now"
        tell("the log folder stays \(configuration.logs)\(restore)")
    }

    private func moveAll(_ tell: (String) -> Void) throws {
        let lock = try StoreLock.acquire(store: store)
        defer { withExtendedLifetime(lock) {} }
        let names = try files()
        let newFolders = missingFolders
        let former = dropIn
        var made: [String] = []
        do {
            if !newFolders.isEmpty { try makeFolder() }
            // No link leads from a mount to another mount of the same disk.
            let isSame = link(store, newStore) == 0
            if isSame { unlink(newStore) }
            for name in names {
                made.append(folder + "/" + name)
                try system(
                    "cp",
                    "--archive",
                    // The service's user may put a link there meanwhile, which `cp` would follow.
                    "--remove-destination",
                    "--no-target-directory",
                    isSame ? "--link" : "--reflink=auto",
                    "--",
                    store.folder + "/" + name,
                    folder + "/" + name
                )
            }
            try system("sync", "--file-system", folder)
            try open(keeping: former)
            try nameStore()
        } catch {
            try? system(["rm", "--recursive", "--force", "--one-file-system", "--"] + made)
            // The unit does not start while a folder that it opens is missing.
            if dropIn != former { try? setDropIn(former) }
            for folder in newFolders { rmdir(folder) }
            throw error
        }
        StoreRecord(sources).write(newStore)
        // `rm` does not follow a link that the service's user creates meanwhile.
        let old = (names + [(store as NSString).lastPathComponent + "-shm"]).map { store.folder + "/" + $0 }
        try system(["rm", "--recursive", "--force", "--one-file-system", "--"] + old)
        tell("moved \(store) to \(newStore), with \(names.count - 1) files that belong to it")
    }

    /// The deepest folder comes first.
    private var missingFolders: [String] {
        var (missing, place) = ([String](), folder)
        while access(place, F_OK) != 0, place != "/" {
            missing.append(place)
            place = place.folder
        }
        return missing
    }

    private func makeFolder() throws {
        let owner = try status(of: store.folder)
        try system("mkdir", "--parents", "--", folder)
        guard chown(folder, owner.user, owner.group) == 0, chmod(folder, owner.mode & 0o7777) == 0 else {
            throw refusal("'\(folder)': \(String(cString: strerror(errno)))", .inputOutput)
        }
    }

    private var dropInFile: String { unit.dropInFolder + "/store.conf" }

    private var dropIn: String? { try? String(contentsOfFile: dropInFile, encoding: .utf8) }

    /// Lets the unit write in the new folder; the unit starts without the folder of an earlier move.
    private func open(keeping former: String?) throws {
        let isOpen = unit.obstacle(at: folder) == nil
        guard former != nil || !isOpen else { return }
        try setDropIn(unit.dropIn(opening: isOpen ? [] : [folder], keeping: former ?? ""))
    }

    private func setDropIn(_ text: String?) throws {
        if let text {
            try FileManager.default.createDirectory(atPath: unit.dropInFolder, withIntermediateDirectories: true)
            try text.write(toFile: dropInFile, atomically: true, encoding: .utf8)
            guard chmod(dropInFile, 0o644) == 0 else {
                throw refusal("'\(dropInFile)': \(String(cString: strerror(errno)))", .inputOutput)
            }
        } else {
            unlink(dropInFile)
        }
        try system("systemctl", "daemon-reload")
    }

    /// Replaces the line that names the store, or the comment with the default, or appends a line.
    private func nameStore() throws {
        let named: (path: String, line: Int?)
        if case .file(let path, let line, _) = configuration[originOf: \.store] {
            named = (path, line)
        } else if let file = configuration.file {
            named = (file, nil)
        } else {
            throw refusal("the service has no configuration file, which would name the new place", .badConfiguration)
        }
        let before = try String(contentsOfFile: named.path, encoding: .utf8)
        var lines = before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let index = named.line.map { $0 - 1 } ?? lines.firstIndex { $0.wholeMatch(of: #/#\s*store:.*/#) != nil }
        // The default place is not named: a copy of the file for an instance would name this service's store.
        let entry = (sources.paths.store == newStore ? "# " : "") + "store: \(newStore.yamlWord)"
        if let index, lines.indices.contains(index) {
            lines[index] = entry
        } else {
            if lines.last == "" { lines.removeLast() }
            lines += [entry, ""]
        }
        try write(lines.joined(separator: "\n"), to: named.path)
        let moved = try? Configuration.load(sources)
        // The line may have had more than the place of the store.
        guard let moved, moved.store == newStore, moved.differences(from: configuration).map(\.name) == ["store"] else {
            try write(before, to: named.path)
            let place = named.line.map { "\(named.path):\($0)" } ?? named.path
            throw refusal(
                "\(place) cannot be changed; write '\(entry)' there, after moving the files",
                .badConfiguration
            )
        }
    }

    private func write(_ text: String, to path: String) throws {
        let status = try status(of: path)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        guard chown(path, status.user, status.group) == 0, chmod(path, status.mode & 0o7777) == 0 else {
            throw refusal("'\(path)': \(String(cString: strerror(errno)))", .inputOutput)
        }
    }

    private func system(_ command: String...) throws { try system(command) }

    private func system(_ command: [String]) throws {
        let done = try CommandRun(command)
        guard done.status == 0 else {
            let words = (done.errors + done.output).prefix(4_096).trimmingCharacters(in: .whitespacesAndNewlines)
            throw StartFailure(
                "\(command.joined(separator: " ")): ended with \(done.status): \(words)",
                status: .inputOutput
            )
        }
    }
}

extension String {
    fileprivate var yamlWord: String {
        wholeMatch(of: #/[A-Za-z0-9_.\/-]+/#) != nil
            ? self : "\"\(replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
