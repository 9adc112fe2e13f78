/// Finds keys in YAML that are not plain text, in files that have aliases.
///
/// The parser hashes and compares the keys of a mapping with their aliases expanded: for a key that is an alias of
/// aliases, a kilobyte of text would take longer than anybody waits. Values are not compared.
package enum YAMLKeys {
    /// The token before the present byte that may be a key, unless a colon does not follow.
    private enum Pending {
        case nothing
        case aliasName
        case alias
        case collection
    }

    /// Returns the line of the first key that may be an alias or a collection; nil when there is none, or no alias.
    ///
    /// The text is searched once, without regard to quotes and comments: it may find such a key in a text.
    package static func lineOfExpandedKey(in text: String) -> Int? {
        var (line, found, hasAlias) = (1, Int?.none, false)
        var pending = Pending.nothing
        var before = UInt8(ascii: "\n")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                pending = .nothing
            case UInt8(ascii: "*") where mayBegin(after: before):
                hasAlias = true
                pending = .aliasName
            case UInt8(ascii: "]"), UInt8(ascii: "}"): pending = .collection
            case UInt8(ascii: " "), UInt8(ascii: "\t"): if pending == .aliasName { pending = .alias }
            case UInt8(ascii: ":") where pending != .nothing: found = found ?? line
            // Names a key of any kind explicitly.
            case UInt8(ascii: "?") where mayBegin(after: before): found = found ?? line
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

    /// Whether a token may begin after a byte; line breaks outside ASCII are among the other bytes.
    private static func mayBegin(after byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"), UInt8(ascii: " "), UInt8(ascii: "["),
            UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "?"), 0x80...:
            true
        default: false
        }
    }
}
