import Foundation
import Yams

/// The nodes of a configuration file by key, each with its line; unknown keys are refused.
struct ConfigurationFile {
    /// The node of a key and its line.
    struct Entry {
        var node: Node
        var line: Int
    }

    let path: String
    private(set) var entries: [ConfigurationKey: Entry] = [:]

    private static let largestFile = 1 << 20

    init(path: String) throws(ConfigurationError) {
        self.path = path
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("the file cannot be read", place: path)
        }
        guard data.count <= ConfigurationFile.largestFile, let text = String(data: data, encoding: .utf8) else {
            throw ConfigurationError("the file is not UTF-8 text of at most 1 MiB", place: path)
        }
        guard let root = try ConfigurationFile.compose(text, path: path) else { return }
        if case .scalar(let scalar) = root, scalar.string.isEmpty { return }
        try read(root, prefix: "")
    }

    private static func compose(_ text: String, path: String) throws(ConfigurationError) -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw ConfigurationError("not YAML: \(problem)", place: path, line: mark.line)
            case .duplicatedKeysInMapping(let duplicates, let context):
                throw ConfigurationError(
                    "the key occurs twice",
                    place: path,
                    line: context.mark.line,
                    key: duplicates.first
                )
            default:
                throw ConfigurationError("not YAML: \(error)", place: path)
            }
        } catch {
            throw ConfigurationError("not YAML: \(error)", place: path)
        }
    }

    private mutating func read(_ node: Node, prefix: String) throws(ConfigurationError) {
        guard case .mapping(let mapping) = node else {
            throw ConfigurationError(
                "there must be keys and values here",
                place: path,
                line: node.mark?.line,
                key: prefix.isEmpty ? nil : prefix
            )
        }
        for (keyNode, value) in mapping {
            let line = keyNode.mark?.line ?? 0
            guard case .scalar(let scalar) = keyNode else {
                throw ConfigurationError("a key must be a word", place: path, line: line)
            }
            let name = prefix.isEmpty ? scalar.string : prefix + "." + scalar.string
            if let key = ConfigurationKey(rawValue: name) {
                entries[key] = Entry(node: value, line: value.mark?.line ?? line)
            } else if ConfigurationKey.allCases.contains(where: { $0.rawValue.hasPrefix(name + ".") }) {
                if case .scalar(let empty) = value, empty.string.isEmpty { continue }
                try read(value, prefix: name)
            } else {
                throw ConfigurationError(
                    "there is no such key"
                        + (ConfigurationFile.suggestion(for: name).map { "; is '\($0)' meant?" } ?? ""),
                    place: path,
                    line: line,
                    key: name
                )
            }
        }
    }

    /// Returns a known key that is spelled similarly to `name`.
    private static func suggestion(for name: String) -> String? {
        let wanted = name.lowercased().replacing("-", with: "_")
        let last = wanted.split(separator: ".").last.map(String.init) ?? wanted
        return ConfigurationKey.allCases.map(\.rawValue).first {
            $0 == wanted || $0.split(separator: ".").last.map(String.init) == last
                || ($0.hasPrefix(wanted) || wanted.hasPrefix($0))
        }
    }
}
