/// The pattern of LIKE.
///
/// `*` stands for any number of Unicode scalars, `?` for one, and a backslash takes the meaning from the scalar after it.
package struct LikePattern: Sendable, Hashable {
    private enum Element: Hashable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    private let elements: [Element]

    /// A pattern; every text is one.
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

    /// Whether the whole of `text` fits.
    ///
    /// Only the last `*` is ever tried again: the time grows with the product of the
    /// two lengths at worst.
    package func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        var element = 0
        var retry: (element: Int, place: String.Index)?
        var steps = 0
        while place < scalars.endIndex {
            steps &+= 1
            if steps & 0xFFFF == 0, MatchingLimit.isReached { return false }
            if element < elements.count {
                switch elements[element] {
                case .any:
                    retry = (element, place)
                    element += 1
                    continue
                case .one:
                    element += 1
                    place = scalars.index(after: place)
                    continue
                case .scalar(let scalar) where scalar == scalars[place]:
                    element += 1
                    place = scalars.index(after: place)
                    continue
                case .scalar: break
                }
            }
            guard let last = retry else { return false }
            place = scalars.index(after: last.place)
            element = last.element + 1
            retry = (last.element, place)
        }
        return elements[element...].allSatisfy { $0 == .any }
    }
}
