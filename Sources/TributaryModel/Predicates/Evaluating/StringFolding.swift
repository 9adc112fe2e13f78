import Foundation

/// What `[c]` and `[d]` do to a string before it is compared.
///
/// In SQL and in memory, this is the one place that does it.
package enum StringFolding {
    /// The string lower-cased scalar by scalar, without nonspacing marks after canonical decomposition, or both.
    ///
    /// The marks go first, so that an `İ` becomes an `i`.
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
