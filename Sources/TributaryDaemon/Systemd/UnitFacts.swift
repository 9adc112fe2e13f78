import CLinux
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// A unit as systemd runs it, with its drop-ins, and its state.
struct UnitFacts: Hashable, Sendable {
    var name: String
    /// The properties of `systemctl show`.
    var properties: [String: String]

    private static let asked = [
        "LoadState", "ActiveState", "SubState", "Result", "UnitFileState", "StateChangeTimestamp", "User", "Group",
        "SupplementaryGroups", "StateDirectory", "ReadWritePaths", "ProtectSystem", "ProtectHome", "PrivateTmp",
        "PrivateNetwork", "Environment",
    ]

    init(name: String, properties: [String: String]) { (self.name, self.properties) = (name, properties) }

    /// Asks systemd; nil when it does not run here, or knows no such unit.
    init?(asking name: String) {
        let arguments = ["show", "--property=" + UnitFacts.asked.joined(separator: ","), "--", name]
        guard let shown = try? CommandRun(["systemctl"] + arguments), shown.status == 0 else { return nil }
        self.init(name: name, shown: shown.output)
    }

    /// Parses the lines `PROPERTY=VALUE` of `systemctl show`; nil for a unit that is not installed.
    init?(name: String, shown: String) {
        var properties: [String: String] = [:]
        for line in shown.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
        }
        guard properties["LoadState"] == "loaded" else { return nil }
        self.init(name: name, properties: properties)
    }

    /// The unit that reads a configuration file; nil if no service reads the file.
    static func name(configuredBy path: String) -> String? {
        DefaultPaths.serviceState(configuredBy: path).map { folder in
            let instance = folder.dropFirst(DefaultPaths.serviceState.count + 1)
            return DefaultPaths.unit(ofInstance: instance.isEmpty ? nil : String(instance))
        }
    }

    subscript(property: String) -> String { properties[property] ?? "" }

    /// The words of a list; systemd quotes a word with a space.
    private func words(_ property: String) -> [String] {
        var (words, word, isQuoted, isEscaped) = ([String](), "", false, false)
        for character in self[property] {
            switch character {
            case _ where isEscaped: (word, isEscaped) = (word + String(character), false)
            case "\\": isEscaped = true
            case "\"": isQuoted.toggle()
            case " " where !isQuoted: (words, word) = (words + [word], "")
            default: word.append(character)
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }

    /// The variables of Tributary in `Environment=`.
    var variables: [String: String] {
        let pairs = words("Environment").compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 && parts[0].hasPrefix("TRIBUTARY_") ? (parts[0], parts[1]) : nil
        }
        return Dictionary(pairs) { $1 }
    }

    var user: String { self["User"] }
    var isActive: Bool { ["active", "reloading", "activating"].contains(self["ActiveState"]) }
    var hasNetwork: Bool { self["PrivateNetwork"] != "yes" }

    var dropInFolder: String { UnitFacts.dropInFolder(of: name) }

    static func dropInFolder(of unit: String) -> String { "/etc/systemd/system/\(unit).d" }

    // MARK: Its user

    /// Gives this process the user and the groups of the unit, as systemd gives them to the service.
    ///
    /// `Group=` replaces the user's own group. The groups of the user and of `SupplementaryGroups=` are added. Does
    /// nothing unless the process runs as root.
    ///
    /// - Throws: ``StartFailure`` for a user or group that this machine does not know.
    func assumeUser() throws(StartFailure) {
        guard geteuid() == 0, !user.isEmpty, user != "root" else { return }
        guard let entry = getpwnam(user) else { throw unknown("user", user) }
        let (uid, own) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        let gid = try self["Group"].isEmpty ? own : group(self["Group"])
        var groups: [gid_t] = []
        for name in words("SupplementaryGroups") { groups.append(try group(name)) }
        guard initgroups(user, gid) == 0 else { throw failure("initgroups") }
        var all = KeyFile.groups
        all += groups.filter { !all.contains($0) }
        guard clinux_assume_user(uid, gid, all, all.count) == 0 else { throw failure("setresuid") }
    }

    private func group(_ name: String) throws(StartFailure) -> gid_t {
        guard let entry = getgrnam(name) else { throw unknown("group", name) }
        return entry.pointee.gr_gid
    }

    private func unknown(_ kind: String, _ name: String) -> StartFailure {
        StartFailure(
            "\(self.name) has the \(kind) '\(name)', which this machine does not know: systemd-sysusers",
            status: .badConfiguration
        )
    }

    private func failure(_ call: String) -> StartFailure {
        let reason = String(cString: strerror(errno))
        return StartFailure("this process cannot become one of \(user)'s (\(call): \(reason))", status: .notPermitted)
    }

    // MARK: Its sandbox

    enum Obstacle: Hashable, Sendable {
        /// The service sees an empty folder in its place.
        case hidden(by: String)
        case readOnly
    }

    /// The effect of the sandbox on a path that the service must write; nil for none.
    func obstacle(at path: String) -> Obstacle? {
        func lies(in folders: [String]) -> Bool { folders.contains { path == $0 || path.hasPrefix($0 + "/") } }
        if self["ProtectHome"] != "no", lies(in: ["/home", "/root", "/run/user"]) { return .hidden(by: "ProtectHome") }
        let temporary = ["/tmp", "/var/tmp"]
        if self["PrivateTmp"] == "yes", lies(in: temporary) { return .hidden(by: "PrivateTmp") }
        let opened = words("ReadWritePaths").map { String($0.drop { $0 == "-" || $0 == "+" }) }
        let folders = opened + words("StateDirectory").map { "/var/lib/\($0)" } + temporary
        return self["ProtectSystem"] == "strict" && !lies(in: folders) ? .readOnly : nil
    }

    /// The lines of a drop-in that lets the service write in the folders.
    ///
    /// - Parameters:
    ///   - folders: The paths of the folders.
    ///   - former: An earlier text of the drop-in. Its settings stay, and the unit starts although its folders are
    ///     missing.
    /// - Returns: The text of the drop-in.
    func dropIn(opening folders: [String], keeping former: String = "") -> String {
        let opened = folders.map { "ReadWritePaths=\(UnitFacts.word($0))\n" }.joined()
        let hiding = Set(
            folders.compactMap { folder -> String? in
                if case .hidden(let setting) = obstacle(at: folder) { setting } else { nil }
            }
        )
        let kept = former.split(separator: "\n").filter { $0.contains("=") }.map { line in
            guard line.hasPrefix("ReadWritePaths="), !line.contains("=-"), !line.contains("=\"-"),
                let path = line.firstIndex(of: "/")
            else { return line + "\n" }
            return line[..<path] + "-" + line[path...] + "\n"
        }
        return "[Service]\n" + opened + hiding.sorted().map { "\($0)=no\n" }.joined() + kept.joined()
    }

    /// A path as a word of a unit file: a space ends a word there, and a percent sign begins a specifier.
    private static func word(_ path: String) -> String {
        let text = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
        return text == path && !path.contains(where: \.isWhitespace) && !path.contains("'") ? path : "\"\(text)\""
    }
}

/// A program of the system that has run.
struct CommandRun {
    /// What the program printed, with its errors.
    var output: String
    var status: Int32

    /// Runs the program, which is looked for where the system has its programs, and waits for its end.
    ///
    /// - Throws: An error of Foundation when there is no such program.
    init(_ command: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = [
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
        ]
        // One pipe for both: a program that prints much waits permanently if nobody reads the second pipe.
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        self.output = String(decoding: bytes, as: UTF8.self)
        status = process.terminationStatus
    }
}
