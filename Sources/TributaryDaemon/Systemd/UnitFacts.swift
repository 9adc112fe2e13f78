import CLinux
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges

/// A unit as systemd runs it, with its drop-ins, and its state.
struct UnitFacts: Sendable {
    let properties: UnitProperties
    private let environmentFiles: [(file: String, variables: [String: String]?)]

    var name: String { properties.unit }

    private static let asked =
        UnitProperties.ofState + [
            "UnitFileState", "User", "Group", "SupplementaryGroups", "StateDirectory", "ReadWritePaths",
            "ProtectSystem",
            "ProtectHome", "PrivateTmp", "PrivateNetwork", "Environment", "EnvironmentFiles", "ExecStart",
        ]

    /// Also reads the files of `EnvironmentFile=`; nil when systemd does not run here, or knows no such unit.
    init?(asking name: String) {
        guard let properties = UnitProperties(asking: name, for: UnitFacts.asked) else { return nil }
        self.init(properties)
    }

    init?(_ properties: UnitProperties) {
        guard properties["LoadState"] == "loaded" else { return nil }
        self.properties = properties
        environmentFiles = properties["EnvironmentFiles"].split(separator: "\n").compactMap { line in
            let file = String(line.replacing(#/ \(ignore_errors=(yes|no)\)$/#, with: ""))
            if line.hasSuffix("=yes)"), access(file, F_OK) != 0 { return nil }
            let bytes = try? FileFailure.bytes(of: file, limit: 1 << 20)
            return (file, bytes.map { UnitFacts.variables(inFile: String(decoding: $0, as: UTF8.self)) })
        }
    }

    private static func variables(inFile text: String) -> [String: String] {
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.hasPrefix("#"), !line.hasPrefix(";") else { return nil }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0].hasPrefix("TRIBUTARY_") else { return nil }
            let value = parts[1]
            let isQuoted = value.count > 1 && ["\"", "'"].contains { value.hasPrefix($0) && value.hasSuffix($0) }
            return (parts[0], isQuoted ? String(value.dropFirst().dropLast()) : value)
        }
        return Dictionary(pairs) { $1 }
    }

    static func name(configuredBy path: String) -> String? {
        DefaultPaths.serviceState(configuredBy: path).map { folder in
            let instance = folder.dropFirst(DefaultPaths.serviceState.count + 1)
            return DefaultPaths.unit(ofInstance: instance.isEmpty ? nil : String(instance))
        }
    }

    subscript(property: String) -> String { properties[property] }

    private func words(_ property: String) -> [String] { properties.words(property) }

    /// A file has precedence, as for systemd.
    var variables: [String: String] {
        environmentFiles.compactMap(\.variables).reduce(ownVariables) { $0.merging($1) { $1 } }
    }

    private var ownVariables: [String: String] {
        let pairs = words("Environment").compactMap { word -> (String, String)? in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2 && parts[0].hasPrefix("TRIBUTARY_") ? (parts[0], parts[1]) : nil
        }
        return Dictionary(pairs) { $1 }
    }

    var variableSources: [(name: String, source: String)] {
        variables.keys.sorted().map { name in
            let file = environmentFiles.last { $0.variables?[name] != nil }?.file
            return (name, file ?? "Environment= of \(self.name)")
        }
    }

    var unreadableFiles: [String] { environmentFiles.filter { $0.variables == nil }.map(\.file) }

    /// Nil for the command of the packaged unit.
    var otherCommand: (found: String, packaged: String)? {
        guard let found = self["ExecStart"].firstMatch(of: #/argv\[\]=(.*?) ; ignore_errors=/#).map({ String($0.1) })
        else { return nil }
        let packaged = ["tributaryd", "--config", configurationFile]
        let words = UnitProperties.words(of: found)
        let isPackaged =
            words.dropFirst().elementsEqual(packaged.dropFirst())
            && (words.first.map { ($0 as NSString).lastPathComponent } == packaged[0])
        return isPackaged ? nil : (found, packaged.joined(separator: " "))
    }

    var instance: String? {
        name.wholeMatch(of: #/tributaryd@(.+)\.service/#).map { String($0.1) }
    }

    private var configurationFile: String { "/etc/tributary/\(instance ?? "tributary").yaml" }

    var socket: String { instance.map { DefaultPaths.socket(of: $0) } ?? DefaultPaths.socket() }

    var user: String { self["User"] }
    var isActive: Bool { ["active", "reloading", "activating"].contains(self["ActiveState"]) }
    var hasNetwork: Bool { self["PrivateNetwork"] != "yes" }

    var dropInFolder: String { UnitFacts.dropInFolder(of: name) }

    static func dropInFolder(of unit: String) -> String { "/etc/systemd/system/\(unit).d" }

    // MARK: Its user

    /// As systemd does: `Group=` replaces the user's own group, other groups are added; does nothing unless root calls.
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
        guard let group = Accounts.groupID(named: name) else { throw unknown("group", name) }
        return group
    }

    private func unknown(_ kind: String, _ name: String) -> StartFailure {
        StartFailure(
            "\(self.name) has the \(kind) '\(name)', which this machine does not know: systemd-sysusers",
            status: .badConfiguration
        )
    }

    private func failure(_ call: String) -> StartFailure {
        let reason = String(cString: strerror(errno))
        return StartFailure("this process cannot act as user \(user) (\(call): \(reason))", status: .notPermitted)
    }

    // MARK: Its sandbox

    enum Obstacle: Hashable, Sendable {
        /// The service sees an empty folder in its place.
        case hidden(by: String)
        case readOnly
    }

    /// The path must be writable for the service.
    func obstacle(at path: String) -> Obstacle? {
        func lies(in folders: [String]) -> Bool { folders.contains { path == $0 || path.hasPrefix($0 + "/") } }
        if self["ProtectHome"] != "no", lies(in: ["/home", "/root", "/run/user"]) { return .hidden(by: "ProtectHome") }
        let temporary = ["/tmp", "/var/tmp"]
        if self["PrivateTmp"] == "yes", lies(in: temporary) { return .hidden(by: "PrivateTmp") }
        let opened = words("ReadWritePaths").map { String($0.drop { $0 == "-" || $0 == "+" }) }
        let folders = opened + words("StateDirectory").map { "/var/lib/\($0)" } + temporary
        return self["ProtectSystem"] == "strict" && !lies(in: folders) ? .readOnly : nil
    }

    /// Returns a drop-in; the settings of a `former` drop-in stay, but the unit starts without its folders.
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
