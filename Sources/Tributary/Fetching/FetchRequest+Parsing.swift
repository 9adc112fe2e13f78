public import TributaryModel

extension FetchRequest {
    /// Creates a request with the predicate as text, in the format language of NSPredicate.
    ///
    /// ```swift
    /// try FetchRequest("Employee", where: "salary > %d AND department.title == %@", [1000, "R&D"])
    /// ```
    ///
    /// - Throws: `ObjectPredicateError` with the position in the text.
    public init(
        _ entityName: String,
        where text: String,
        _ arguments: [PredicateArgument] = [],
        sortKeys: [SortKey] = []
    ) throws(ObjectPredicateError) {
        self.init(
            entityName,
            predicate: try ObjectPredicate(parsing: text, arguments: arguments),
            sortKeys: sortKeys
        )
    }
}
