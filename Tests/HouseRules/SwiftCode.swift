import Foundation

/// Separates code from comments and literals, well enough for rules that look at declarations and calls.
enum SwiftCode {
    /// `text` with comments and the contents of string and regex literals replaced by spaces; newlines stay in place.
    static func blanked(_ text: String) -> String {
        var scanner = Scanner(bytes: Array(text.utf8) + [0])
        scanner.scanCode(untilClosingParenthesis: false)
        return String(decoding: scanner.output, as: UTF8.self)
    }

    private struct Scanner {
        /// The text, with a zero after it.
        let bytes: [UInt8]
        var output: [UInt8] = []
        var position = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
            output.reserveCapacity(bytes.count)
        }

        var isAtEnd: Bool { position >= bytes.count - 1 }

        func isAt(_ text: StaticString) -> Bool {
            guard position + text.utf8CodeUnitCount <= bytes.count else { return false }
            return text.withUTF8Buffer { wanted in
                wanted.indices.allSatisfy { bytes[position + $0] == wanted[$0] }
            }
        }

        /// The number of bytes up to the next of some, or to the end.
        ///
        /// Bytes are skipped in C: in a debug build a loop over each of them takes seconds for all sources.
        private func run(before stops: String) -> Int {
            bytes[position...].withUnsafeBytes { rest in
                rest.withMemoryRebound(to: CChar.self) { $0.baseAddress.map { strcspn($0, stops) } ?? 0 }
            }
        }

        mutating func keep(before stops: String) {
            let end = position + run(before: stops)
            output += bytes[position..<end]
            position = end
        }

        mutating func blank(before stops: String) {
            let count = run(before: stops)
            output += [UInt8](repeating: UInt8(ascii: " "), count: count)
            position += count
        }

        mutating func keep(_ count: Int = 1) {
            for _ in 0..<count where !isAtEnd {
                output.append(bytes[position])
                position += 1
            }
        }

        mutating func blank(_ count: Int = 1) {
            for _ in 0..<count where !isAtEnd {
                output.append(bytes[position] == UInt8(ascii: "\n") ? UInt8(ascii: "\n") : UInt8(ascii: " "))
                position += 1
            }
        }

        /// Code up to the end, or up to the parenthesis that closes an interpolation.
        mutating func scanCode(untilClosingParenthesis: Bool) {
            var depth = 0
            while !isAtEnd {
                keep(before: "/#\"()")
                if isAt("//") {
                    blank(before: "\n")
                } else if isAt("/*") {
                    scanBlockComment()
                } else if isAt("#\"") || isAt("##\"") {
                    scanRawString()
                } else if isAt("#/") || isAtBareRegex {
                    scanRegex()
                } else if isAt("\"\"\"") {
                    scanString(isMultiline: true)
                } else if isAt("\"") {
                    scanString(isMultiline: false)
                } else {
                    if isAt("(") { depth += 1 }
                    if isAt(")") {
                        if untilClosingParenthesis, depth == 0 { return }
                        depth -= 1
                    }
                    keep()
                }
            }
        }

        /// Bytes after which a slash begins a regex literal, and is no operator.
        private static let beforeRegex = Array("([{,;:=!&|?<>".utf8)

        /// Whether a regex literal without number signs begins here; such a literal ends on its line.
        private var isAtBareRegex: Bool {
            guard isAt("/"), position + 1 < bytes.count, !Array(" \n)".utf8).contains(bytes[position + 1]) else {
                return false
            }
            let before = output.last { $0 != UInt8(ascii: " ") }
            guard let before, Self.beforeRegex.contains(before) || before == UInt8(ascii: "\n") else { return false }
            let line = bytes[(position + 1)...].prefix { $0 != UInt8(ascii: "\n") }
            return line.contains(UInt8(ascii: "/"))
        }

        mutating func scanRegex() {
            let isExtended = isAt("#/")
            keep(isExtended ? 2 : 1)
            while !isAtEnd {
                if isAt("\\") {
                    blank(2)
                } else if isExtended ? isAt("/#") : isAt("/") {
                    keep(isExtended ? 2 : 1)
                    return
                } else {
                    blank()
                }
            }
        }

        mutating func scanBlockComment() {
            var depth = 0
            repeat {
                if isAt("/*") {
                    depth += 1
                    blank(2)
                } else if isAt("*/") {
                    depth -= 1
                    blank(2)
                } else {
                    blank()
                }
            } while depth > 0 && !isAtEnd
        }

        mutating func scanString(isMultiline: Bool) {
            let quotes = isMultiline ? 3 : 1
            keep(quotes)
            while !isAtEnd {
                blank(before: "\\\"\n")
                if isAt("\\(") {
                    blank(2)
                    scanCode(untilClosingParenthesis: true)
                    blank()
                } else if isAt("\\") {
                    blank(2)
                } else if isMultiline ? isAt("\"\"\"") : isAt("\"") {
                    keep(quotes)
                    return
                } else {
                    blank()
                }
            }
        }

        /// A raw string without interpolation, the only kind in use.
        mutating func scanRawString() {
            var hashes = 0
            while isAt("#") {
                hashes += 1
                keep()
            }
            let quotes = isAt("\"\"\"") ? 3 : 1
            keep(quotes)
            let closing =
                Array(repeating: UInt8(ascii: "\""), count: quotes)
                + Array(repeating: UInt8(ascii: "#"), count: hashes)
            while !isAtEnd, !bytes[position...].starts(with: closing) { blank() }
            keep(closing.count)
        }
    }
}
