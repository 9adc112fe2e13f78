package import TributaryModel

/// What a fetch of dictionaries asks.
package struct DictionaryQuery: Sendable {
    package struct Column: Sendable {
        package let name: String
        package let keyPath: String
        /// Nil for the value itself.
        package let function: ObjectPredicate.Aggregate?

        package init(name: String, keyPath: String, function: ObjectPredicate.Aggregate?) {
            self.name = name
            self.keyPath = keyPath
            self.function = function
        }
    }

    /// Which objects; its sort keys, limit and offset are those of the results.
    package var objects: FetchQuery
    package var columns: [Column]
    package var groupBy: [String]
    package var having: ObjectPredicate?
    package var isDistinct: Bool

    package init(
        objects: FetchQuery,
        columns: [Column],
        groupBy: [String] = [],
        having: ObjectPredicate? = nil,
        isDistinct: Bool = false
    ) {
        self.objects = objects
        self.columns = columns
        self.groupBy = groupBy
        self.having = having
        self.isDistinct = isDistinct
    }
}
