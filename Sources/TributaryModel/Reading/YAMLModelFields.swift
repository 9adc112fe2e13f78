import Foundation
import Yams

/// The nodes of one mapping of a YAML model by key; unknown keys have been refused.
struct YAMLModelFields: ModelFields {
    typealias Entry = (key: String, node: Node, mark: Mark?)

    /// The element that the mapping describes, such as `entity Employee, attribute salary`.
    let element: String
    let mark: Mark?
    private let file: String?
    private var nodes: [String: Node] = [:]
    private var marks: [String: Mark] = [:]

    init(_ node: Node, known: [String], element: String, file: String?) throws(ModelError) {
        self.element = element
        self.file = file
        mark = node.mark
        for entry in try YAMLModelFields.entries(of: node, element: element, file: file) {
            guard known.contains(entry.key) else {
                throw ModelError(
                    "the key '\(entry.key)' is not known; known are \(known.joined(separator: ", "))",
                    file: file,
                    at: entry.mark,
                    element: element
                )
            }
            nodes[entry.key] = entry.node
            marks[entry.key] = entry.mark
        }
    }

    static func keys<Element>(of setting: ModelSetting<Element>) -> [String] { [setting.yaml] }

    /// Returns the entries of a mapping whose keys are names; an empty value counts as an empty mapping.
    static func entries(of node: Node, element: String, file: String?) throws(ModelError) -> [Entry] {
        if isNull(node) { return [] }
        guard case .mapping(let mapping) = node else {
            throw ModelError("a mapping is expected here (key: value)", file: file, at: node.mark, element: element)
        }
        var result: [Entry] = []
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw ModelError("a key must be a name", file: file, at: key.mark, element: element)
            }
            result.append((scalar.string, value, key.mark))
        }
        return result
    }

    static func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    func error(_ reason: String, key: String) -> ModelError {
        ModelError("\(key): \(reason)", file: file, at: marks[key] ?? mark, element: element)
    }

    func node(_ key: String) -> Node? { nodes[key] }

    func entries(_ key: String) throws(ModelError) -> [Entry] {
        guard let node = nodes[key] else { return [] }
        return try YAMLModelFields.entries(of: node, element: key, file: file)
    }

    /// Returns the text as it is written, without YAML's types: `no` is the text "no".
    func text(_ key: String) throws(ModelError) -> String? {
        guard let node = nodes[key], !YAMLModelFields.isNull(node) else { return nil }
        guard case .scalar(let scalar) = node else { throw error("one value is expected", key: key) }
        return scalar.string
    }

    func required(_ key: String) throws(ModelError) -> String {
        guard let text = try text(key), !text.isEmpty else {
            throw ModelError("the key '\(key)' is missing", file: file, at: mark, element: element)
        }
        return text
    }

    func flag(_ key: String) throws(ModelError) -> Bool? {
        switch try text(key) {
        case nil: return nil
        case "true"?: return true
        case "false"?: return false
        case let text?: throw error("'\(text)' is neither true nor false", key: key)
        }
    }

    func count(_ key: String) throws(ModelError) -> Int? {
        guard let text = try text(key) else { return nil }
        guard let number = Int(text), number >= 0 else { throw error("'\(text)' is no number of objects", key: key) }
        return number
    }

    /// Returns a list of names; a single name is a list of one.
    func names(in node: Node, key: String) throws(ModelError) -> [String] {
        switch node {
        case .scalar(let scalar): return [scalar.string]
        case .sequence(let sequence):
            var names: [String] = []
            for item in sequence {
                guard case .scalar(let scalar) = item else { throw error("a list of names is expected", key: key) }
                names.append(scalar.string)
            }
            return names
        default: throw error("a list of names is expected", key: key)
        }
    }

    func info(_ key: String) throws(ModelError) -> [String: String] {
        guard let node = nodes[key] else { return [:] }
        var info: [String: String] = [:]
        for entry in try YAMLModelFields.entries(of: node, element: element, file: file) {
            guard case .scalar(let scalar) = entry.node else {
                throw error("'\(entry.key)' must have one value", key: key)
            }
            info[entry.key] = scalar.string
        }
        return info
    }
}

extension ModelError {
    init(_ reason: String, file: String?, at mark: Mark?, element: String? = nil) {
        self.init(reason, file: file, line: mark?.line, element: element)
        column = mark?.column
    }
}
