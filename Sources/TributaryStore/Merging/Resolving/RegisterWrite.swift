import TributaryChanges

/// A value for a column; for a counter, the increment.
struct RegisterWrite {
    var column: Int
    var value: PropertyValue
}
