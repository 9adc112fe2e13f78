package import TributaryChanges
import TributaryModel

/// The identity of values in SQL: strings are equal when their bytes are.
///
/// Swift's `==` treats "é" and "e" with a combining accent as equal.
package struct ValueIdentity: Hashable, Sendable {
    private let values: [PropertyValue]

    package init(_ values: [PropertyValue]) {
        self.values = values
    }

    package static func == (left: ValueIdentity, right: ValueIdentity) -> Bool {
        left.values.count == right.values.count
            && zip(left.values, right.values).allSatisfy { one, other in
                if one.isNull || other.isNull { return one.isNull && other.isNull }
                return one.compared(to: other).map { $0 == 0 } ?? (one == other)
            }
    }

    package func hash(into hasher: inout Hasher) {
        for value in values {
            switch value {
            case .string(let text), .uri(let text), .composite(let text): for byte in text.utf8 { hasher.combine(byte) }
            // An integer and a double may be equal, and so may two texts.
            case .integer(let number): hasher.combine(Double(number))
            case .double(let number): hasher.combine(number)
            case .decimal(let text): hasher.combine(Double(text) ?? 0)
            default: hasher.combine(value)
            }
        }
    }
}
