package enum ErrorText {
    package static func text(of error: any Error) -> String {
        if error is CancellationError { return "it was cut short, since the daemon stops" }
        let hasWords = type(of: error) is any CustomStringConvertible.Type
        return hasWords ? "\(error)" : "an unexpected error (\(type(of: error)))"
    }
}

extension String {
    package var shellWord: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "@"):
                true
            default: false
            }
        }
        return plain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}
