package import TributaryModel

/// The description of a fetch of dictionaries.
package struct DictionaryQuery: Sendable {
    package struct Column: Sendable {
        package let name: String
        package let keyPath: String
        package let function: ObjectPredicate.Aggregate?

        package init(name: String, keyPath: String, function: ObjectPredicate.Aggregate?) {
            self.name = name
            self.keyPath = keyPath
            self.function = function
        }
    }

    /// Selects the objects; its sort keys, limit and offset apply to the results.
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
