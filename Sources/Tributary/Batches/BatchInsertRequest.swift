public import TributaryChanges

/// A request to insert objects from plain values, without creating managed objects.
///
/// Values are by property name; a property that a row omits gets the model's default. A row can set attributes and
/// to-one relationships (as `.reference`), except one-to-one relationships; it can set its own ID as `"_id"`, `.uuid`.
/// The batch checks types and mandatory properties, but not bounds, patterns and hooks.
///
/// ```swift
/// let request = BatchInsertRequest("Employee", rows: [["name": .string("Ann")], ["name": .string("Bob")]])
/// let result = try context.execute(request)
/// print(result.count)
/// ```
public struct BatchInsertRequest: Sendable {
    /// The entity of the new objects.
    public var entityName: String
    /// The contents of the result.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context merges the changes of the batch; other contexts merge them in any case.
    public var refreshesContext = false
    let source: Source

    enum Source: Sendable {
        case rows([[String: PropertyValue]])
        case handler(@Sendable (inout [String: PropertyValue]) -> Bool)
    }

    /// Creates a request with its rows.
    public init(_ entityName: String, rows: [[String: PropertyValue]]) {
        self.entityName = entityName
        source = .rows(rows)
    }

    /// Creates a request whose rows are filled one by one.
    ///
    /// - Parameters:
    ///   - entityName: the entity of the new objects.
    ///   - handler: fills an empty row, or returns true when there are no more.
    public init(
        _ entityName: String,
        handler: @escaping @Sendable (inout [String: PropertyValue]) -> Bool
    ) {
        self.entityName = entityName
        source = .handler(handler)
    }
}
