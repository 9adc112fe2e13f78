/// A pattern of LIKE: `*` matches any number of Unicode scalars, `?` one, and a backslash makes the scalar after it
/// literal.
package struct LikePattern: Sendable, Hashable {
    private enum Element: Hashable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let elements: [Element]

    /// Parses a pattern; every text is a valid one.
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

    /// Matching backtracks to the last `*` only, so that the time grows at most with the product of both lengths.
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
