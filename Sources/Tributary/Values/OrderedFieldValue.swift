public import Foundation
public import TributaryChanges

/// A type of attributes with ordered values, which can be compared with `<`, `>` and `between`.
public protocol OrderedFieldValue: FieldValue {}

extension String: OrderedFieldValue {}
extension URL: OrderedFieldValue {}
extension Int: OrderedFieldValue {}
extension Int64: OrderedFieldValue {}
extension Int32: OrderedFieldValue {}
extension Int16: OrderedFieldValue {}
extension Double: OrderedFieldValue {}
extension Float: OrderedFieldValue {}
extension Decimal: OrderedFieldValue {}
extension Date: OrderedFieldValue {}
extension UUID: OrderedFieldValue {}
extension UniqueID: OrderedFieldValue {}
