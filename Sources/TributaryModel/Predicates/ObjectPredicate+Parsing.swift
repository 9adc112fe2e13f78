extension ObjectPredicate {
    /// Reads a predicate in the format language of NSPredicate.
    ///
    /// ```swift
    /// try ObjectPredicate(parsing: "name LIKE[cd] 'an*' AND NOT (ANY projects.title IN {'A', 'B'})")
    /// try ObjectPredicate(parsing: "%K >= %@ AND department == $DEPARTMENT", arguments: ["salary", 1000])
    /// ```
    ///
    /// - Parameters:
    ///   - text: The predicate: up to 16 KiB, nesting up to 64 deep.
    ///   - arguments: The values for `%@`, `%K`, `%d` and `%f`, in their order.
    ///   - variables: The values for `$NAME`; other variables remain, for ``substituting(_:)``.
    /// - Throws: ``ObjectPredicateError`` with the position in the text.
    public init(
        parsing text: String,
        arguments: [PredicateArgument] = [],
        variables: [String: PredicateArgument] = [:]
    ) throws(ObjectPredicateError) {
        var parser = try PredicateParser(text, arguments: arguments, variables: variables)
        self = try parser.parse()
    }

    /// Reads a predicate in the format language of NSPredicate, with any Swift values as its arguments.
    ///
    /// ```swift
    /// try ObjectPredicate(parsing: "%K >= %@ AND department IN %@", "salary", lowest, departments)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The predicate: up to 16 KiB, nesting up to 64 deep.
    ///   - first: The value for the first `%@`, `%K`, `%d` or `%f`.
    ///   - rest: The values for the others, in their order.
    /// - Throws: ``ObjectPredicateError`` with the position in the text.
    public init(
        parsing text: String,
        _ first: any PredicateArgumentConvertible,
        _ rest: any PredicateArgumentConvertible...
    ) throws(ObjectPredicateError) {
        let arguments = [first.predicateArgument] + rest.map { $0.predicateArgument }
        try self.init(parsing: text, arguments: arguments)
    }

    /// Returns the predicate with values for its `$VARIABLES`; variables without a value remain.
    public func substituting(_ variables: [String: PredicateArgument]) -> ObjectPredicate {
        replacing { expression, boundVariables in
            guard case .variable(let name) = expression.form, !boundVariables.contains(name) else { return nil }
            return variables[name]?.expression
        }
    }
}
