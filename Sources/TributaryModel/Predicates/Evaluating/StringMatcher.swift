import Foundation

/// BEGINSWITH, ENDSWITH, CONTAINS, LIKE or MATCHES with a right side and options, prepared for matching many strings.
package struct StringMatcher: Sendable {
    private enum Test: Sendable {
        case prefix(String)
        case suffix(String)
        case substring([UInt8])
        case like(LikePattern)
        case expression(NSRegularExpression)
    }

    private let test: Test
    private let folding: StringFolding

    package init(
        _ operation: ObjectPredicate.Operator,
        _ pattern: String,
        _ folding: StringFolding = []
    ) throws(ObjectPredicateError) {
        self.folding = folding
        let folded = folding.fold(pattern)
        switch operation {
        case .beginsWith: test = .prefix(folded)
        case .endsWith: test = .suffix(folded)
        case .contains: test = .substring(Array(folded.utf8))
        case .like: test = .like(LikePattern(folded))
        case .matches:
            // The pattern itself is not lower-cased, because that would turn \S into \s.
            let unmarked = folding.subtracting(.caseInsensitive).fold(pattern)
            let options: NSRegularExpression.Options = folding.contains(.caseInsensitive) ? [.caseInsensitive] : []
            guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(unmarked))\\z", options: options) else {
                throw ObjectPredicateError("'\(pattern)' is no regular expression")
            }
            test = .expression(expression)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between:
            throw ObjectPredicateError("\(operation.rawValue) is no string operator")
        }
    }

    package func matches(_ text: String) -> Bool {
        if case .expression(let expression) = test {
            let text = folding.subtracting(.caseInsensitive).fold(text)
            guard MatchingLimit.isSet, text.utf16.count >= LongTextMatch.minimumLength else {
                return StringMatcher.matches(text, expression)
            }
            return LongTextMatch.run { StringMatcher.matches(text, expression) }
        }
        let text = folding.fold(text)
        switch test {
        case .prefix(let prefix): return text.utf8.starts(with: prefix.utf8)
        case .suffix(let suffix): return text.utf8.reversed().starts(with: suffix.utf8.reversed())
        case .substring(let substring): return StringMatcher.contains(substring, in: text)
        case .like(let pattern): return pattern.matches(text)
        case .expression: return false
        }
    }

    /// The greatest number of ICU's progress reports for one string; ICU reports every 10,000 steps.
    private static let maximumReports = 1_000

    /// Whether the expression matches the whole text within ten million steps.
    ///
    /// A pattern such as `(a+)+b` can take hours. The limit counts steps instead of time, so that the result is the
    /// same on every machine.
    private static func matches(_ text: String, _ expression: NSRegularExpression) -> Bool {
        let range = NSRange(location: 0, length: text.utf16.count)
        var isFound = false
        var reports = 0
        expression.enumerateMatches(in: text, options: [.reportProgress], range: range) { match, _, stop in
            reports += 1
            isFound = match != nil
            if isFound || reports > maximumReports || MatchingLimit.isReached { stop.pointee = true }
        }
        return isFound
    }

    /// The number of bytes that are compared between two checks of ``MatchingLimit``.
    private static let bytesBetweenQuestions = 1 << 20

    /// Searches bytes: in UTF-8, equal bytes are equal scalars at every offset.
    private static func contains(_ part: [UInt8], in text: String) -> Bool {
        guard let first = part.first else { return true }
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count >= part.count else { return false }
            var compared = 0
            for start in 0...(bytes.count - part.count) where bytes[start] == first {
                // A long substring that nearly matches at every offset takes long.
                compared &+= part.count
                if compared > bytesBetweenQuestions {
                    if MatchingLimit.isReached { return false }
                    compared = 0
                }
                if bytes[start..<(start + part.count)].elementsEqual(part) { return true }
            }
            return false
        }
    }
}
