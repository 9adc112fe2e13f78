import Foundation
import Synchronization
package import TributaryChanges

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
                throw ObjectPredicateError("'\(pattern)' is not a regular expression")
            }
            test = .expression(expression)
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between:
            throw ObjectPredicateError("\(operation.rawValue) is not a string operator")
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

    /// ICU reports its progress every 10,000 steps.
    private static let maximumReports = 1_000

    /// Ends after ten million steps; a limit of time would have different results on different machines.
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

package struct StringFolding: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Lower case, scalar by scalar: `[c]`.
    package static let caseInsensitive = StringFolding(rawValue: 1)
    /// Canonical decomposition without nonspacing marks: `[d]`.
    package static let diacriticInsensitive = StringFolding(rawValue: 2)

    /// Removes marks first, so that `İ` becomes `i`.
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

/// `*` matches any number of Unicode scalars, `?` one, and a backslash makes the scalar after it literal.
package struct LikePattern: Sendable, Hashable {
    private enum Element: Hashable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let elements: [Element]

    package init(_ text: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                elements.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "?" {
                elements.append(.one)
            } else if scalar == "*" {
                if elements.last != .any { elements.append(.any) }
            } else {
                elements.append(.scalar(scalar))
            }
        }
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// Backtracks to the last `*` only, so that the time grows at most with the product of both lengths.
    package func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var position = scalars.startIndex
        var element = 0
        var retry: (element: Int, position: String.Index)?
        var steps = 0
        while position < scalars.endIndex {
            steps &+= 1
            if steps & 0xFFFF == 0, MatchingLimit.isReached { return false }
            if element < elements.count {
                switch elements[element] {
                case .any:
                    retry = (element, position)
                    element += 1
                    continue
                case .one:
                    element += 1
                    position = scalars.index(after: position)
                    continue
                case .scalar(let scalar) where scalar == scalars[position]:
                    element += 1
                    position = scalars.index(after: position)
                    continue
                case .scalar: break
                }
            }
            guard let last = retry else { return false }
            position = scalars.index(after: last.position)
            element = last.element + 1
            retry = (last.element, position)
        }
        return elements[element...].allSatisfy { $0 == .any }
    }
}

/// Matches a long text on a separate thread, so that a caller can return at its limit before the match has ended.
///
/// ICU can stop a match every 10,000 steps only: for `.*?(?>.*)x` they take ten seconds on a million characters.
package final class LongTextMatch: Sendable {
    package struct Census: Sendable, Equatable {
        package var running = 0
        package var abandoned = 0
    }

    /// In UTF-16 code units; 10,000 steps on a shorter text take a fraction of a second.
    static let minimumLength = 16_384

    /// Includes abandoned matches, so that the machine stays responsive.
    package static let maximumCount = 2

    private static let interval = DispatchTimeInterval.milliseconds(10)

    private static let permits = DispatchSemaphore(value: maximumCount)
    private static let all = Mutex(Census())

    package static var census: Census { all.withLock { $0 } }

    private enum State {
        case running
        case abandoned
        case ended(Bool)
    }

    private let state = Mutex(State.running)
    private let ending = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs a match on a separate thread; false as soon as the caller's own limit is reached.
    static func run(_ block: @escaping @Sendable () -> Bool) -> Bool {
        while permits.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { return false }
        }
        let match = LongTextMatch()
        all.withLock { $0.running += 1 }
        Thread { match.main(block) }.start()
        while match.ending.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { match.abandon() }
            if case .abandoned = match.state.withLock({ $0 }) { return false }
        }
        guard case .ended(let isFound) = match.state.withLock({ $0 }) else { return false }
        return isFound
    }

    private func main(_ block: () -> Bool) {
        let isFound = MatchingLimit.with({ self.isAbandoned }, operation: block)
        let wasAbandoned = state.withLock { state in
            if case .abandoned = state { return true }
            state = .ended(isFound)
            return false
        }
        LongTextMatch.all.withLock { census in
            census.running -= 1
            if wasAbandoned { census.abandoned -= 1 }
        }
        LongTextMatch.permits.signal()
        ending.signal()
    }

    private var isAbandoned: Bool {
        if case .abandoned = state.withLock({ $0 }) { true } else { false }
    }

    private func abandon() {
        state.withLock { state in
            guard case .running = state else { return }
            state = .abandoned
            LongTextMatch.all.withLock { $0.abandoned += 1 }
        }
    }
}

package struct MatchingLimit: Sendable {
    private let isOver: @Sendable () -> Bool

    /// A task-local optional closure crashes optimized programs of Swift 6.3, hence a struct (swiftlang/swift#88321).
    @TaskLocal private static var current: MatchingLimit?

    package static var isSet: Bool { current != nil }

    package static var isReached: Bool { current?.isOver() ?? false }

    package static func with<Result>(
        _ isOver: @escaping @Sendable () -> Bool,
        operation: () throws -> Result
    ) rethrows -> Result {
        try $current.withValue(MatchingLimit(isOver: isOver), operation: operation)
    }
}
