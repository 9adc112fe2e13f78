public import TributaryChanges

/// New objects from plain values: no managed objects are made.
///
/// Values are by property name; what a row leaves out gets the model's default. Attributes and to-one relationships (as
/// `.reference`) can be given, except one-to-one relationships; a row may bring its own ID as `"_id"`, `.uuid`. Types and
/// mandatory properties are checked, bounds, patterns and hooks are not.
///
/// ```swift
/// let request = BatchInsertRequest("Employee", rows: [["name": .string("Ann")], ["name": .string("Bob")]])
/// let result = try context.execute(request)
/// print(result.count)
/// ```
public struct BatchInsertRequest: Sendable {
    /// The entity of the new objects.
    public var entityName: String
    /// What the result contains.
    public var resultKind = BatchResultKind.count
    /// Whether the executing context takes over what the batch has changed; other contexts do in any case.
    public var refreshesContext = false
    let source: Source

    enum Source: Sendable {
        case rows([[String: PropertyValue]])
        case handler(@Sendable (inout [String: PropertyValue]) -> Bool)
    }

    /// A request with its rows.
    public init(_ entityName: String, rows: [[String: PropertyValue]]) {
        self.entityName = entityName
        source = .rows(rows)
    }

    /// A request whose rows are filled one by one.
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
