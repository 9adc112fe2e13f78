import TributaryAdmin
import TributaryChanges
import TributarySync
import Yams

struct SettingSyntax<Value: Hashable & Sendable>: Sendable {
    /// The type of a scalar in YAML, which must match: `name: no` is refused, since `no` is a boolean.
    enum Scalar {
        case text
        case quantity
        case integer
        case boolean

        var tag: Tag {
            switch self {
            case .text, .quantity: Tag(.str)
            case .integer: Tag(.int)
            case .boolean: Tag(.bool)
            }
        }
    }

    /// The end of an error: "must be …".
    let expectation: String
    var scalar = Scalar.text
    /// The value of YAML's null; nil when null is refused.
    var null: Value?
    var list: (@Sendable ([String]) -> Value?)?
    /// Parses a text, and completes a relative path with the folder; nil when the text is not as expected.
    let parse: @Sendable (_ text: String, _ folder: String) -> Value?
    let text: @Sendable (Value) -> String?

    func value(of entry: ConfigurationEntry, for key: String) throws(ConfigurationError) -> Value {
        func refusal(_ reason: String) -> ConfigurationError {
            ConfigurationError(reason: reason, key: key, origin: entry.origin)
        }
        let text: String
        switch entry.written {
        case .text(let written):
            text = written
        case .node(.sequence(let sequence)):
            guard let list else { throw refusal("must be one value, \(expectation)") }
            var texts: [String] = []
            for node in sequence {
                guard case .scalar(let scalar) = node, node.tag == Tag(.str) else {
                    throw refusal("must be \(expectation); put a value that YAML reads as another type in quotes")
                }
                texts.append(scalar.string)
            }
            guard let value = list(texts) else { throw refusal("must be \(expectation)") }
            return value
        case .node(let node):
            guard case .scalar(let scalar) = node else { throw refusal("must be one value, \(expectation)") }
            if node.tag == Tag(.null) || scalar.string.isEmpty && scalar.style == .plain {
                guard let null else { throw refusal("has no value; it must be \(expectation)") }
                return null
            }
            guard node.tag == self.scalar.tag else { throw refusal(wrongType(scalar.string)) }
            text = scalar.string
        }
        guard let value = parse(text, entry.folder) else { throw refusal("must be \(expectation), not '\(text)'") }
        return value
    }

    private func wrongType(_ text: String) -> String {
        switch scalar {
        case .text: "must be text; put '\(text)' in quotes if it is meant as text"
        case .quantity: "must be \(expectation), not '\(text)': a unit is missing"
        case .integer, .boolean: "must be \(expectation), not '\(text)'"
        }
    }
}

extension SettingSyntax where Value == String {
    static var text: Self {
        Self(expectation: "a text of 1 to 255 bytes") { text, _ in
            text.isEmpty || text.utf8.count > 255 ? nil : text
        } text: {
            $0
        }
    }

    static var path: Self {
        Self(expectation: "a path") { text, folder in
            text.isEmpty || text.utf8.contains(0) ? nil : ConfigurationFile.absolute(text, in: folder)
        } text: {
            $0
        }
    }
}

extension SettingSyntax where Value == String? {
    static var path: Self {
        let path = SettingSyntax<String>.path
        return Self(expectation: path.expectation) { text, folder in
            path.parse(text, folder).map { .some($0) }
        } text: {
            $0
        }
    }
}

extension SettingSyntax where Value == String? {
    static var optionalPath: Self {
        let path = path
        return Self(expectation: "a path, or null", null: .some(nil), parse: path.parse, text: path.text)
    }

    static var optionalText: Self {
        let text = SettingSyntax<String>.text
        return Self(expectation: "\(text.expectation), or null", null: .some(nil)) { written, folder in
            text.parse(written, folder).map { .some($0) }
        } text: {
            $0
        }
    }
}

extension SettingSyntax where Value == Duration {
    static var duration: Self {
        let expectation = "a duration: an integer with ms, s, m, h or d, such as 5s, of at most a hundred years"
        return Self(expectation: expectation, scalar: .quantity) { text, _ in
            UnitNotation.milliseconds.number(text).map { .milliseconds($0) }
        } text: {
            let (seconds, attoseconds) = $0.components
            return UnitNotation.milliseconds.text(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        }
    }
}

extension SettingSyntax where Value == SyncConfiguration.Rescan {
    static var durationOrAuto: Self {
        let duration = SettingSyntax<Duration>.duration
        let expectation = "auto, or a duration: an integer with ms, s, m, h or d, of at most a hundred years"
        return Self(expectation: expectation, scalar: .quantity) { text, folder in
            text == "auto" ? .automatic : duration.parse(text, folder).map { .every($0) }
        } text: {
            if case .every(let interval) = $0 { duration.text(interval) } else { "auto" }
        }
    }
}

extension SettingSyntax where Value: FixedWidthInteger {
    static var size: Self {
        let expectation = "a size: an integer with B, KiB, MiB or GiB, such as 1MiB"
        return Self(expectation: expectation, scalar: .quantity) { text, _ in
            UnitNotation.bytes.number(text).flatMap { Value(exactly: $0) }
        } text: {
            UnitNotation.bytes.text(Int64($0))
        }
    }

    static var count: Self {
        Self(expectation: "an integer above 0", scalar: .integer) { text, _ in
            Value(text).flatMap { $0 > 0 ? $0 : nil }
        } text: {
            "\($0)"
        }
    }
}

extension SettingSyntax where Value == Int64? {
    static var optionalSize: Self {
        let size = SettingSyntax<Int64>.size
        return Self(expectation: "\(size.expectation), or null", scalar: .quantity, null: .some(nil)) { text, folder in
            size.parse(text, folder).map { .some($0) }
        } text: {
            $0.flatMap(size.text)
        }
    }
}

extension SettingSyntax where Value == Bool {
    static var boolean: Self {
        let values = ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false]
        return Self(expectation: "true or false", scalar: .boolean) { text, _ in
            values[text.lowercased()]
        } text: {
            "\($0)"
        }
    }
}

extension SettingSyntax where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    static var choice: Self {
        let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return Self(expectation: "one of \(values)") { text, _ in
            Value(rawValue: text)
        } text: {
            $0.rawValue
        }
    }
}

extension SettingSyntax where Value == [String]? {
    static var groups: Self {
        Self(expectation: "a group's name, a list of them, or null", null: .some(nil), list: { $0 }) { text, _ in
            [text]
        } text: {
            $0.map { "[" + $0.joined(separator: ", ") + "]" }
        }
    }
}

extension SettingSyntax where Value == [PublicKey] {
    static var keys: Self {
        let expectation = "a list of keys, each \(PublicKey.form)"
        return Self(expectation: expectation, null: []) { texts in
            let keys = texts.compactMap { PublicKey($0) }
            return keys.count == texts.count ? keys : nil
        } parse: { text, _ in
            PublicKey(text).map { [$0] }
        } text: {
            "[" + $0.map(\.description).joined(separator: ", ") + "]"
        }
    }
}

extension SettingSyntax where Value == LoopbackAddress? {
    static var address: Self {
        let expectation = "a loopback address with a port, such as 127.0.0.1:9180, or null"
        return Self(expectation: expectation, null: .some(nil)) { text, _ in
            LoopbackAddress(text).map { .some($0) }
        } text: {
            $0?.description
        }
    }
}

extension SettingSyntax where Value == LoopbackAddress {
    static var url: Self {
        let expectation = "an address as http://127.0.0.1:8384: http, loopback, with a port and no path"
        return Self(expectation: expectation) { text, _ in
            LoopbackAddress(url: text)
        } text: {
            $0.url
        }
    }
}

struct UnitNotation: Sendable {
    private let units: [(suffix: String, factor: Int64)]
    private let limit: Int64

    /// Milliseconds, up to a hundred years, which timers and sums of times and durations can hold.
    static let milliseconds = UnitNotation(
        units: [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)],
        limit: 36_525 * 86_400_000
    )

    static let bytes = UnitNotation(
        units: [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)],
        limit: .max
    )

    func number(_ text: String) -> Int64? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                let number = Int64(digits)
            else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit.factor)
            return overflow || product > limit || product == 0 ? nil : product
        }
        return nil
    }

    func text(_ number: Int64) -> String {
        let unit = units.last { number % $0.factor == 0 } ?? units[0]
        return "\(number / unit.factor)\(unit.suffix)"
    }
}
