package import TributaryChanges

package enum TextDerivation: Int32, Sendable, CaseIterable {
    case length = 0, caseInsensitive, localized, localizedCaseInsensitive, localizedStandard

    init?(_ comparison: SortKey.Comparison) {
        switch comparison {
        case .value: return nil
        case .caseInsensitive: self = .caseInsensitive
        case .localized: self = .localized
        case .localizedCaseInsensitive: self = .localizedCaseInsensitive
        case .localizedStandard: self = .localizedStandard
        }
    }

    var kind: ValueKind { self == .length ? .number : .string }

    package func value(of value: PropertyValue) -> PropertyValue {
        guard let text = value.text else { return .null }
        switch self {
        case .length: return ObjectPredicate.Function.length.value(of: [value])
        case .caseInsensitive: return ObjectPredicate.Function.lowercase.value(of: [value])
        case .localized: return .string(TextDerivation.key(text, readsNumbers: false, keepsCase: true))
        case .localizedCaseInsensitive: return .string(TextDerivation.key(text, readsNumbers: false, keepsCase: false))
        case .localizedStandard: return .string(TextDerivation.key(text, readsNumbers: true, keepsCase: true))
        }
    }

    /// Returns a sort key of three levels: the letters without marks and case, then the marks, then the case.
    private static func key(_ text: String, readsNumbers: Bool, keepsCase: Bool) -> String {
        let marked = text.lowercased()
        let plain = StringFolding([.caseInsensitive, .diacriticInsensitive]).fold(text)
        var key = weighted(plain, readsNumbers: readsNumbers) + separator + marked
        guard keepsCase else { return key }
        key += separator
        for scalar in text.unicodeScalars { key += scalar.properties.isUppercase ? "b" : "a" }
        return key + separator + text
    }

    private static let separator = "\u{1}"

    private static func weighted(_ text: String, readsNumbers: Bool) -> String {
        var result = String.UnicodeScalarView()
        var digits: [Unicode.Scalar] = []
        func closeNumber() {
            guard !digits.isEmpty else { return }
            let significant = digits.drop { $0 == "0" }
            // The count of digits comes first, because a number with more digits is greater.
            result.append("4")
            result.append(contentsOf: length(significant.count))
            result.append(contentsOf: significant)
            digits = []
        }
        for scalar in text.unicodeScalars {
            if readsNumbers, ("0"..."9").contains(scalar) {
                digits.append(scalar)
                continue
            }
            closeNumber()
            result.append(weight(of: scalar))
            result.append(scalar)
        }
        closeNumber()
        return String(result)
    }

    /// Returns a text for the number, so that the texts sort like the numbers.
    private static func length(_ count: Int) -> String.UnicodeScalarView {
        let digits = String(count)
        return (String(UnicodeScalar(UInt8(ascii: "a") + UInt8(min(digits.count, 20)))) + digits).unicodeScalars
    }

    private static func weight(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.properties.isWhitespace { return "2" }
        switch scalar.properties.generalCategory {
        case .control, .format: return "2"
        case .decimalNumber, .letterNumber, .otherNumber: return "4"
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark:
            return "5"
        default: return "3"
        }
    }
}
