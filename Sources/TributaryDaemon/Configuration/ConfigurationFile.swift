import Foundation
import TributaryModel
import Yams

/// The entries of a configuration file by key; unknown keys are refused.
struct ConfigurationFile {
    let path: String
    private(set) var entries: [String: ConfigurationEntry] = [:]

    private static let largestFile = 1 << 20

    /// Reads the file that the sources name, otherwise the standard file; nil when this does not exist.
    init?(_ sources: ConfigurationSources, standard: String) throws(ConfigurationError) {
        let variable = sources.environment["TRIBUTARY_CONFIG"] ?? ""
        if let path = sources.file ?? (variable.isEmpty ? nil : variable) {
            try self.init(path: ConfigurationFile.absolute(path, in: sources.workingDirectory))
        } else {
            guard FileManager.default.fileExists(atPath: standard) else { return nil }
            try self.init(path: standard)
        }
    }

    static func absolute(_ path: String, in folder: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: folder, isDirectory: true))
            .standardizedFileURL.path
    }

    private init(path: String) throws(ConfigurationError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(reason: "the file cannot be read", origin: .file(path: path, line: nil))
        }
        try self.init(path: path, data)
    }

    init(path: String, _ data: Data) throws(ConfigurationError) {
        self.path = path
        guard data.count <= ConfigurationFile.largestFile, let text = String(data: data, encoding: .utf8) else {
            throw error("the file is not UTF-8 text of at most 1 MiB")
        }
        guard let root = try compose(text) else { return }
        if case .scalar(let scalar) = root, scalar.string.isEmpty { return }
        try read(root, prefix: "")
    }

    private func error(_ reason: String, line: Int? = nil, key: String? = nil) -> ConfigurationError {
        ConfigurationError(reason: reason, key: key, origin: .file(path: path, line: line))
    }

    private func compose(_ text: String) throws(ConfigurationError) -> Node? {
        do throws(YAMLFault) {
            return try YAMLKeys.compose(text)
        } catch let fault {
            throw error(fault.reason, line: fault.line, key: fault.key)
        }
    }

    private mutating func read(_ node: Node, prefix: String) throws(ConfigurationError) {
        guard case .mapping(let mapping) = node else {
            throw error(
                "there must be keys and values here",
                line: node.mark?.line,
                key: prefix.isEmpty ? nil : prefix
            )
        }
        for (keyNode, value) in mapping {
            let line = keyNode.mark?.line ?? 0
            guard case .scalar(let scalar) = keyNode else { throw error("a key must be a word", line: line) }
            let name = prefix.isEmpty ? scalar.string : prefix + "." + scalar.string
            if ConfigurationKey.all.contains(where: { $0.name == name }) {
                entries[name] = ConfigurationEntry(
                    written: .node(value),
                    origin: .file(path: path, line: value.mark?.line ?? line),
                    folder: (path as NSString).deletingLastPathComponent
                )
            } else if ConfigurationKey.all.contains(where: { $0.name.hasPrefix(name + ".") }) {
                if case .scalar(let empty) = value, empty.string.isEmpty { continue }
                try read(value, prefix: name)
            } else {
                let meant = ConfigurationFile.suggestion(for: name).map { "; is '\($0)' meant?" } ?? ""
                throw error("there is no such key" + meant, line: line, key: name)
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
