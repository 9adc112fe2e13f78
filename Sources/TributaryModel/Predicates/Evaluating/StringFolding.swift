import Foundation

/// Folds a string for the comparison options `[c]` and `[d]`.
///
/// SQL and the evaluation in memory both call this function.
package enum StringFolding {
    /// Returns the string in lower case, scalar by scalar, without nonspacing marks after canonical decomposition, or
    /// both.
    ///
    /// Marks are removed first, so that `İ` becomes `i`.
    ///
    /// - Parameters:
    ///   - text: The string.
    ///   - caseInsensitive: Whether the result is in lower case.
    ///   - diacriticInsensitive: Whether the result has no nonspacing marks.
    /// - Returns: The folded string.
    package static func fold(_ text: String, caseInsensitive: Bool, diacriticInsensitive: Bool) -> String {
        guard caseInsensitive || diacriticInsensitive else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return caseInsensitive ? lowercasedASCII(text) : text }
        var scalars = String.UnicodeScalarView()
        let source = diacriticInsensitive ? text.decomposedStringWithCanonicalMapping : text
        for scalar in source.unicodeScalars {
            if diacriticInsensitive, scalar.properties.generalCategory == .nonspacingMark { continue }
            if caseInsensitive {
                scalars.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static func lowercasedASCII(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}
