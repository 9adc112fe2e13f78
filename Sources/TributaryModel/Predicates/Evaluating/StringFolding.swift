import Foundation
package import TributaryChanges

/// The folding of strings for `[c]` and `[d]`, in SQL, which receives the raw value, and in memory.
package struct StringFolding: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Lower case, scalar by scalar: `[c]`.
    package static let caseInsensitive = StringFolding(rawValue: 1)
    /// Canonical decomposition without nonspacing marks: `[d]`.
    package static let diacriticInsensitive = StringFolding(rawValue: 2)

    /// Returns the folded string; marks are removed first, so that `İ` becomes `i`.
    package func fold(_ text: String) -> String {
        var text = text
        if contains(.diacriticInsensitive), !text.utf8.allSatisfy({ $0 < 0x80 }) {
            let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
            text = String(String.UnicodeScalarView(scalars.filter { $0.properties.generalCategory != .nonspacingMark }))
        }
        return contains(.caseInsensitive) ? text.lowercased() : text
    }

    package func fold(_ value: PropertyValue) -> PropertyValue {
        isEmpty ? value : value.text.map { .string(fold($0)) } ?? value
    }
}
