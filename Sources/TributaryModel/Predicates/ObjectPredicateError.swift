/// An error that makes a predicate or a sort key unusable, with its position in the text.
public struct ObjectPredicateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the error and of its remedy.
    public var reason: String
    /// The offset in characters from 0; nil when the error is not about a text.
    public var position: Int?
    /// A part of the text, and below it a caret at the position of the error.
    public var excerpt: String?
    /// The key path that does not fit the model.
    public var keyPath: String?

    package init(_ reason: String, keyPath: String? = nil) {
        self.reason = reason
        self.keyPath = keyPath
    }

    init(depth: Int) {
        self.init("a predicate may nest \(ObjectPredicate.maximumDepth) deep, this one nests \(depth) deep")
    }

    package init(_ reason: String, in text: String, at index: String.Index) {
        self.reason = reason
        point(to: index, in: text)
    }

    /// The reason, then the position with an excerpt of the text.
    public var description: String {
        let message = position.map { "\(reason) (at character \($0 + 1))" } ?? reason
        return excerpt.map { "\(message)\n\($0)" } ?? message
    }

    /// Returns the error with the position of its key path in `text`, when the text contains the key path.
    public func located(in text: String) -> ObjectPredicateError {
        guard position == nil, let keyPath, !keyPath.isEmpty else { return self }
        var result = self
        var rest = text[...]
        while let range = rest.range(ofWord: keyPath) {
            result.point(to: range.lowerBound, in: text)
            rest = text[range.upperBound...]
            if !result.isInsideQuotes(text: text, index: range.lowerBound) { return result }
        }
        return result.position == nil ? self : result
    }

    private static let reach = 40

    private mutating func point(to index: String.Index, in text: String) {
        let offset = text.distance(from: text.startIndex, to: index)
        let characters = Array(text)
        let start = max(0, offset - ObjectPredicateError.reach)
        let end = min(characters.count, offset + ObjectPredicateError.reach)
        // Control characters are replaced, because they would move the caret.
        let line = characters[start..<end].map { character in
            character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : character
        }
        position = offset
        excerpt = "  \(String(line))\n  \(String(repeating: " ", count: offset - start))^"
    }

    private func isInsideQuotes(text: String, index: String.Index) -> Bool {
        var quote: Character?
        for character in text[..<index] where character == "'" || character == "\"" {
            if quote == nil {
                quote = character
            } else if quote == character {
                quote = nil
            }
        }
        return quote != nil
    }
}

extension Substring {
    fileprivate func range(ofWord word: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(word) {
                let end = index(start, offsetBy: word.count)
                let before = start == startIndex ? nil : self[index(before: start)]
                let after = end == endIndex ? nil : self[end]
                if [before, after].allSatisfy({ $0.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true }) {
                    return start..<end
                }
            }
            start = index(after: start)
        }
        return nil
    }
}
