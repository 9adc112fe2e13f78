import CLinux
import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges
import TributaryModel
import Yams

struct ConfigurationFile {
    let path: String
    private(set) var entries: [String: ConfigurationEntry] = [:]
    private(set) var fault: ConfigurationError?
    /// False for an unreadable file, which may have contained any key.
    private(set) var isYAML = false
    private(set) var unreadFiles: [String] = []

    private static let largestFile = 1 << 20

    /// Reads the named file, or else the standard file, with the files of its folder; nil when it does not exist.
    init?(_ sources: ConfigurationSources, standard: String) {
        let variable = sources.environment["TRIBUTARY_CONFIG"] ?? ""
        let named = sources.file ?? (variable.isEmpty ? nil : variable)
        let path = named.map { ConfigurationFile.absolute($0, in: sources.workingDirectory) } ?? standard
        do throws(FileFailure) {
            self.init(path: path, Data(try FileFailure.bytes(of: path, limit: ConfigurationFile.largestFile)))
        } catch {
            // If a disk fails, a service must not start with the defaults.
            let isThere = named != nil || ExitStatus(passing: error.code) != nil || access(path, F_OK) == 0
            if isThere {
                self.init(path: path, nil, code: error.code)
            } else {
                self.init(path: path, Data())
                guard hasFolder else { return nil }
            }
        }
        readFolder()
    }

    static func absolute(_ path: String, in folder: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
            .standardizedFileURL.path
    }

    init(path: String, _ data: Data?, code: Int32? = nil) {
        self.path = path
        guard let data, data.count <= ConfigurationFile.largestFile, let text = String(data: data, encoding: .utf8)
        else {
            let isUnreadable = data == nil && code != EFBIG
            let reason = code.map { ": " + String(cString: strerror($0)) } ?? ""
            refuse(isUnreadable ? "the file cannot be read" + reason : "the file is not UTF-8 text of at most 1 MiB")
            fault?.code = code
            return
        }
        do throws(YAMLFault) {
            let root = try YAMLKeys.compose(text)
            isYAML = true
            guard let root else { return }
            if case .scalar(let scalar) = root, scalar.string.isEmpty { return }
            read(root, prefix: "")
        } catch {
            let origin = ConfigurationOrigin.file(path: path, line: error.line, column: error.column)
            fault = ConfigurationError(reason: error.reason, key: error.key, origin: origin)
        }
    }

    private mutating func refuse(_ reason: String, at mark: Mark? = nil, key: String? = nil) {
        if fault == nil { fault = ConfigurationError(reason: reason, key: key, origin: origin(mark)) }
    }

    private func origin(_ mark: Mark?) -> ConfigurationOrigin {
        .file(path: path, line: mark?.line, column: mark?.column)
    }

    private mutating func read(_ node: Node, prefix: String) {
        guard case .mapping(let mapping) = node else {
            return refuse("there must be keys and values here", at: node.mark, key: prefix.isEmpty ? nil : prefix)
        }
        for (keyNode, value) in mapping {
            guard case .scalar(let scalar) = keyNode else {
                refuse("a key must be a word", at: keyNode.mark)
                continue
            }
            var name = prefix.isEmpty ? scalar.string : prefix + "." + scalar.string
            let hasKeysBelow = ConfigurationKey.all.contains { $0.name.hasPrefix(name + ".") }
            // A key with keys below it is called `path` among them: `logs: {path: /srv/logs, max_bytes: 10GiB}`.
            if !prefix.isEmpty, scalar.string == "path", ConfigurationKey.all.contains(where: { $0.name == prefix }) {
                name = prefix
            } else if hasKeysBelow, case .mapping = value {
                read(value, prefix: name)
                continue
            }
            if ConfigurationKey.all.contains(where: { $0.name == name }) {
                if let former = entries[name]?.origin.line {
                    // Such as `trust.mode` next to `trust: {mode: …}`.
                    refuse("the key occurs twice, first in line \(former)", at: value.mark ?? keyNode.mark, key: name)
                }
                entries[name] = ConfigurationEntry(
                    written: .node(value),
                    origin: origin(value.mark ?? keyNode.mark),
                    folder: path.folder
                )
            } else if hasKeysBelow {
                if case .scalar(let empty) = value, empty.string.isEmpty { continue }
                read(value, prefix: name)
            } else {
                let meant = String.question(meaning: ConfigurationFile.suggestion(for: name))
                refuse("the key is not known" + meant, at: keyNode.mark, key: name)
            }
        }
    }

    private static let (mostFiles, mostBytes) = (100, 4 << 20)

    /// The folder with further files: `tributary.d` for `tributary.yaml`.
    private var folder: String { (path.hasSuffix(".yaml") ? String(path.dropLast(5)) : path) + ".d" }

    /// Also true for a broken link: its settings must not be lost.
    private var hasFolder: Bool {
        var owner = clinux_file_owner()
        return clinux_read_file_owner(folder, 0, &owner) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    /// In the order of their names; a key may be in only one file, or its value would depend on the names.
    private mutating func readFolder() {
        guard hasFolder else { return }
        let names: [String]
        do {
            let all = try FileManager.default.contentsOfDirectory(atPath: folder)
            names = all.filter { !$0.hasPrefix(".") }
            let unread = all.filter { name in
                let isNamed = [".yaml", ".yml"].contains { name.lowercased().hasSuffix($0) }
                return isNamed && (name.hasPrefix(".") || ![".yaml", ".yml"].contains { name.hasSuffix($0) })
            }
            unreadFiles = unread.sorted { $0.precedesByBytes($1) }.prefix(Self.mostFiles).map { "\(folder)/\($0)" }
        } catch {
            let code = FileFailure.code(of: error)
            let reason = code.map { String(cString: strerror($0)) } ?? error.localizedDescription
            refuse("the folder '\(folder)' cannot be read: \(reason)")
            fault?.code = code
            return
        }
        if let name = names.first(where: { $0.hasSuffix(".yml") }) {
            return refuse("the name of '\(folder)/\(name)' must end with .yaml")
        }
        let read = names.filter { $0.hasSuffix(".yaml") }.sorted { $0.precedesByBytes($1) }
        guard read.count <= Self.mostFiles else {
            return refuse("the folder '\(folder)' has \(read.count) files; it may have \(Self.mostFiles)")
        }
        var bytes = 0
        for name in read {
            let file = "\(folder)/\(name)"
            guard ConfigurationFile.isRegular(file) else {
                var other = ConfigurationFile(path: file, Data())
                other.refuse("it is not a regular file")
                add(other)
                continue
            }
            do throws(FileFailure) {
                let data = Data(try FileFailure.bytes(of: file, limit: ConfigurationFile.largestFile))
                bytes += data.count
                guard bytes <= Self.mostBytes else {
                    return refuse("the files of '\(folder)' have more than \(ByteText.text(Self.mostBytes))")
                }
                add(ConfigurationFile(path: file, data))
            } catch {
                add(ConfigurationFile(path: file, nil, code: error.code))
            }
        }
    }

    /// False for a pipe, which would block the start, and for a device.
    private static func isRegular(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: RealPath.resolved(path))
        return attributes == nil || attributes?[.type] as? FileAttributeType == .typeRegular
    }

    private mutating func add(_ other: ConfigurationFile) {
        fault = fault ?? other.fault
        isYAML = isYAML && other.isYAML
        for (name, entry) in other.entries.sorted(by: { $0.value.origin.line ?? 0 < $1.value.origin.line ?? 0 }) {
            if let former = entries[name] {
                let place = former.origin.location ?? path
                let error = ConfigurationError(
                    reason: "the key is in \(place) already, and it may be in one of the files only",
                    key: name,
                    origin: entry.origin
                )
                fault = fault ?? error
            } else {
                entries[name] = entry
            }
        }
    }

    private static func suggestion(for name: String) -> String? {
        let wanted = name.lowercased().replacing("-", with: "_")
        let last = wanted.split(separator: ".").last.map(String.init) ?? wanted
        return ConfigurationKey.all.map(\.name).first {
            $0 == wanted || $0.split(separator: ".").last.map(String.init) == last
                || ($0.hasPrefix(wanted) || wanted.hasPrefix($0))
        }
    }
}

struct ConfigurationSources: Sendable {
    var flags: [String: String] = [:]
    var file: String?
    var environment: [String: String]
    var hostName: String
    var workingDirectory: String
    var inheritedSocket: String?
    var hasSocketUnit = false

    /// In the service's folder from systemd, or else in folders of the user.
    var paths: DefaultPaths {
        let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        return DefaultPaths(environment: environment, serviceState: state)
    }

    /// Systemd passes the socket, or will pass it to the examined service.
    var inheritsSocket: Bool { hasSocketUnit || InheritedSocket.isAnnounced(in: environment) }
}

struct ConfigurationEntry {
    enum Written {
        case text(String)
        case node(Node)
    }

    var written: Written
    var origin: ConfigurationOrigin
    var folder: String
}
