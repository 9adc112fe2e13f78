package import Yams

/// Finds keys that are not plain text, in YAML that has aliases.
///
/// The parser hashes keys with their aliases expanded: a kilobyte of nested aliases would take longer than anybody
/// waits.
package enum YAMLKeys {
    private enum Pending {
        case nothing
        case aliasName
        case alias
        case collection
    }

    package static func compose(_ text: String) throws(YAMLFault) -> Node? {
        if let place = placeOfExpandedKey(in: text) {
            throw YAMLFault("in a file with aliases every key must be plain text", place)
        }
        do {
            return try Yams.compose(yaml: text)
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _)
        {
            throw YAMLFault("the YAML is not well formed: \(problem)", (line: mark.line, column: mark.column))
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            let place = (line: context.mark.line, column: context.mark.column)
            let reason = "the key '\(keys.joined(separator: "', '"))' occurs twice"
            let lines = keys.first.map { linesOfKey($0, in: text, from: place) } ?? []
            guard lines.count > 1 else { throw YAMLFault(reason, place, key: keys.first) }
            throw YAMLFault("\(reason), first in line \(lines[0])", (lines[1], place.column), key: keys.first)
        } catch YamlError.reader(let problem, let offset, _, _) {
            let before = text.prefix(offset ?? 0).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            let place = offset.map { _ in (line: before.count, column: (before.last?.unicodeScalars.count ?? 0) + 1) }
            throw YAMLFault("the YAML is not well formed: \(problem)", place)
        } catch {
            throw YAMLFault("the YAML is not well formed: \(error)", nil)
        }
    }

    /// Searches the block mapping that begins at a place: the parser reports only that place.
    private static func linesOfKey(_ key: String, in text: String, from place: (line: Int, column: Int)) -> [Int] {
        var found: [Int] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated().dropFirst(max(0, place.line - 1)) {
            let indent = line.prefix { $0 == " " }.count
            let isEmpty = indent == line.count || line.dropFirst(indent).hasPrefix("#")
            if !isEmpty, indent + 1 < place.column { break }
            if indent + 1 == place.column, line.dropFirst(indent).hasPrefix(key + ":") { found.append(index + 1) }
        }
        return found
    }

    /// Searches the text once, without regard to quotes and comments, so the place may also be within a text.
    private static func placeOfExpandedKey(in text: String) -> (line: Int, column: Int)? {
        var (line, column, found, hasAlias) = (1, 0, (line: Int, column: Int)?.none, false)
        var pending = Pending.nothing
        var before = UInt8(ascii: "\n")
        for byte in text.utf8 {
            // Continuation bytes of a character are not columns.
            if byte & 0xC0 != 0x80 { column += 1 }
            switch byte {
            case UInt8(ascii: "\n"):
                (line, column) = (line + 1, 0)
                pending = .nothing
            case UInt8(ascii: "*") where mayBegin(after: before):
                hasAlias = true
                pending = .aliasName
            case UInt8(ascii: "]"), UInt8(ascii: "}"): pending = .collection
            case UInt8(ascii: " "), UInt8(ascii: "\t"): if pending == .aliasName { pending = .alias }
            case UInt8(ascii: ":") where pending != .nothing: found = found ?? (line, column)
            // A question mark begins a key of any kind.
            case UInt8(ascii: "?") where mayBegin(after: before): found = found ?? (line, column)
            default: if pending != .aliasName || !isNameByte(byte) { pending = .nothing }
            }
            before = byte
        }
        return hasAlias ? found : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Line breaks outside ASCII are among the bytes from 0x80.
    private static func mayBegin(after byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: " "), UInt8(ascii: "["),
            UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"), 0x80...:
            true
        default: false
        }
    }
}

package struct YAMLFault: Error {
    package let reason: String
    package let line: Int?
    package let column: Int?
    package let key: String?

    init(_ reason: String, _ place: (line: Int, column: Int)?, key: String? = nil) {
        self.reason = reason
        (line, column) = (place?.line, place?.column)
        self.key = key
    }
}
