import Logging
import Yams

/// Converts a YAML node, or the text of a flag or a variable, to a value of a key's type.
enum ConfigurationReader {
    /// Converts a value of the file; the YAML type must match, so that `name: no` is refused.
    static func value(_ entry: ConfigurationFile.Entry, for key: ConfigurationKey, file: String)
        throws(ConfigurationError)
        -> ConfigurationValue
    {
        func refuse(_ reason: String) -> ConfigurationError {
            ConfigurationError(reason, place: file, line: entry.line, key: key.rawValue)
        }
        if case .sequence(let sequence) = entry.node, key.kind == .groups {
            var names: [String] = []
            for node in sequence {
                guard case .scalar(let name) = node, node.tag == Tag(.str) else {
                    throw refuse(
                        "must be a list of group names; put names that YAML takes for something else in quotes"
                    )
                }
                names.append(name.string)
            }
            return .groups(names)
        }
        guard case .scalar(let scalar) = entry.node else {
            throw refuse("must be one value, \(expectation(of: key.kind))")
        }
        let type = entry.node.tag
        if type == Tag(.null) || scalar.string.isEmpty && scalar.style == .plain {
            guard key.kind == .groups || key.kind == .address else {
                throw refuse("has no value; it must be \(expectation(of: key.kind))")
            }
            return .none
        }
        switch key.kind {
        case .boolean:
            guard type == Tag(.bool) else {
                throw refuse("must be \(expectation(of: key.kind)), not '\(scalar.string)'")
            }
        case .count:
            guard type == Tag(.int) else {
                throw refuse("must be \(expectation(of: key.kind)), not '\(scalar.string)'")
            }
        case .duration, .durationOrAuto, .size:
            guard type == Tag(.str) else {
                throw refuse("must be \(expectation(of: key.kind)), not '\(scalar.string)': a unit is missing")
            }
        case .text, .path, .level, .groups, .address:
            guard type == Tag(.str) else {
                throw refuse("must be text; put '\(scalar.string)' in quotes if it is meant as text")
            }
        }
        do {
            return try value(scalar.string, for: key)
        } catch {
            throw refuse(error.reason)
        }
    }

    /// Converts the text of a flag, a variable or a default, or of a checked scalar of the file.
    static func value(_ text: String, for key: ConfigurationKey) throws(ConfigurationError) -> ConfigurationValue {
        let value: ConfigurationValue? =
            switch key.kind {
            case .text: text.isEmpty || text.utf8.count > 255 ? nil : .text(text)
            case .path: text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
            case .duration: positive(ConfigurationValue.duration(text)).map { .duration($0) }
            case .durationOrAuto:
                text == "auto" ? .automatic : positive(ConfigurationValue.duration(text)).map { .duration($0) }
            case .size: ConfigurationValue.size(text).flatMap { $0 > 0 ? .size($0) : nil }
            case .boolean: boolean(text)
            case .count: Int(text).flatMap { $0 > 0 ? .count($0) : nil }
            case .level: Logger.Level(rawValue: text).map { .level($0) }
            case .groups: .groups([text])
            case .address: LoopbackAddress(text).map { .text($0.description) }
            }
        guard let value else {
            throw ConfigurationError("must be \(expectation(of: key.kind)), not '\(text)'", key: key.rawValue)
        }
        return value
    }

    private static func boolean(_ text: String) -> ConfigurationValue? {
        switch text.lowercased() {
        case "true", "yes", "on": .boolean(true)
        case "false", "no", "off": .boolean(false)
        default: nil
        }
    }

    private static func positive(_ duration: Duration?) -> Duration? {
        duration.flatMap { $0 > .zero ? $0 : nil }
    }

    private static func expectation(of kind: ConfigurationKey.Kind) -> String {
        switch kind {
        case .text: "a text of 1 to 255 bytes"
        case .path: "a path"
        case .duration: "a duration: an integer with ms, s, m, h or d, such as 5s, of at most a hundred years"
        case .durationOrAuto: "auto, or a duration: an integer with ms, s, m, h or d, of at most a hundred years"
        case .size: "a size: an integer with B, KiB, MiB or GiB, such as 1MiB"
        case .boolean: "true or false"
        case .count: "an integer above 0"
        case .level: "one of trace, debug, info, notice, warning, error, critical"
        case .groups: "a group's name, a list of them, or null"
        case .address: "a loopback address with a port, such as 127.0.0.1:9180, or null"
        }
    }
}
