import Logging

/// Formats log messages and metadata so that they can neither forge a line nor move the cursor.
enum LogText {
    static func escape(_ text: String) -> String {
        guard
            text.unicodeScalars.contains(where: {
                $0.value < 0x20 || $0.value == 0x7F || (0x80..<0xA0).contains($0.value)
            })
        else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F || (0x80..<0xA0).contains(scalar.value) {
                result += scalar == "\n" ? "\\n" : "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static func pairs(_ metadata: Logger.Metadata) -> String {
        metadata.sorted { $0.key < $1.key }
            .map { "\(escape($0.key))=\(quoted(escape("\($0.value)")))" }
            .joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String {
        text.contains(" ") || text.isEmpty ? "\"\(text)\"" : text
    }
}
