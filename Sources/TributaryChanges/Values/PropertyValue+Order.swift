extension PropertyValue {
    /// Compares two values as predicates and sorting do: below 0, 0 or above 0.
    ///
    /// Nil when a value is null, or when the kinds do not compare. Strings are compared by their UTF-8 bytes, not by
    /// canonical equivalence as Swift's `==` does.
    package func compared(to other: PropertyValue) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): PropertyValue.order(left, right)
        case (.integer(let left), .double(let right)): PropertyValue.order(left, right)
        case (.double(let left), .integer(let right)): PropertyValue.order(right, left).map { -$0 }
        case (.double(let left), .double(let right)):
            left.isNaN || right.isNaN ? nil : PropertyValue.order(left, right)
        case (.date(let left), .date(let right)):
            PropertyValue.double(left.secondsSinceReferenceDate)
                .compared(to: .double(right.secondsSinceReferenceDate))
        case (.boolean(let left), .boolean(let right)): PropertyValue.order(left ? 1 : 0, right ? 1 : 0)
        case (.decimal(let left), .decimal(let right)): DecimalText.compare(left, right).signum()
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
            (.string(let left), .uri(let right)), (.uri(let left), .string(let right)),
            (.composite(let left), .composite(let right)):
            PropertyValue.order(left, right)
        case (.uuid(let left), .uuid(let right)), (.reference(let left), .reference(let right)):
            PropertyValue.order(left, right)
        case (.binary(let left), .binary(let right)):
            left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
        default: nil
        }
    }

    /// Compares two values for sorting; null comes first.
    package func sortOrder(to other: PropertyValue) -> Int {
        switch (isNull, other.isNull) {
        case (true, true): 0
        case (true, false): -1
        case (false, true): 1
        case (false, false): compared(to: other) ?? 0
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func order(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.precedesByBytes(right) ? -1 : 1
    }

    /// Compares exactly, also beyond 2⁵³, where not every integer is a double.
    private static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        let fraction = right - right.rounded(.towardZero)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }
}
