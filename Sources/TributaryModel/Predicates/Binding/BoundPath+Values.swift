extension BoundPath {
    /// Looks a key path up that leads through to-one relationships to one value, with an order or without one.
    ///
    /// - Throws: ``ObjectPredicateError`` when it leads nowhere, or to any number of values.
    package init(ofValueAt keyPath: String, of entity: Entity, in model: Model) throws(ObjectPredicateError) {
        let components = keyPath == "SELF" ? [] : keyPath.split(separator: ".", omittingEmptySubsequences: false)
        self = try PathBinder(entity: entity, model: model).bind(components.map(String.init))
        guard !isToMany else {
            throw ObjectPredicateError("the path is to-many: it has no one value", keyPath: keyPath)
        }
    }

    /// The type of the values at the end; nil for IDs.
    package var valueType: AttributeType? {
        switch terminal {
        case .identity, .reference: nil
        case .attribute(_, let attribute), .member(_, _, _, let attribute): attribute.type
        case .count: .integer64
        case .derived(let derivation, _): derivation == .length ? .integer64 : .string
        case .entity: .string
        case .aggregate(let aggregate, let path): path.valueType(of: aggregate)
        }
    }

    /// The type of what the values come to; nil where they are IDs.
    package func valueType(of aggregate: ObjectPredicate.Aggregate) -> AttributeType? {
        switch aggregate {
        case .count: .integer64
        case .average: .double
        case .min, .max: valueType
        case .sum: valueType?.isInteger == true ? .integer64 : valueType == .float ? .double : valueType
        }
    }
}
