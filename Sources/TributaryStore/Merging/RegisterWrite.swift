import TributaryChanges

/// A value for a column; for a counter, the increment.
struct RegisterWrite {
    var place: Int
    var value: PropertyValue
}
