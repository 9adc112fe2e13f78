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
        var text = text
        if diacriticInsensitive, !text.utf8.allSatisfy({ $0 < 0x80 }) {
            let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
            text = String(String.UnicodeScalarView(scalars.filter { $0.properties.generalCategory != .nonspacingMark }))
        }
        return caseInsensitive ? text.lowercased() : text
    }
}
