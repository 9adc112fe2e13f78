import Foundation
import TributaryChanges
import TributaryModel

/// Converts values that a `#Predicate` has captured to attribute values.
enum CapturedValue {
    static func value(_ captured: Any) -> PropertyValue? {
        switch captured {
        case let value as any FieldValue: value.fieldValue
        case let id as ManagedObjectID: .reference(id.uniqueID)
        case let object as ManagedObject: .reference(object.uniqueID)
        case let number as any BinaryInteger: Int64(exactly: number).map(PropertyValue.integer)
        case let number as any BinaryFloatingPoint: .double(Double(number))
        case let character as Character: .string(String(character))
        case let text as Substring: .string(String(text))
        case let optional as any AnyOptional: optional.wrapped.map(value) ?? .null
        default: nil
        }
    }

    /// Returns up to `limit` elements of a captured sequence; nil for other values, strings and bytes included.
    static func elements(_ captured: Any, limit: Int) -> [Any]? {
        guard !(captured is String), !(captured is Data), !(captured is [UInt8]),
            let sequence = captured as? any Sequence
        else { return nil }
        func list<Elements: Sequence>(_ elements: Elements) -> [Any] { elements.prefix(limit + 1).map { $0 as Any } }
        return list(sequence)
    }
}
