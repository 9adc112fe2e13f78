extension BoundPath {
    /// Binds a key path that follows to-one relationships to one value.
    package init(ofValueAt keyPath: String, of entity: Entity, in model: Model) throws(ObjectPredicateError) {
        let components = keyPath == "SELF" ? [] : keyPath.split(separator: ".", omittingEmptySubsequences: false)
        self = try PathBinder(entity: entity, model: model).bind(components.map(String.init))
        guard !isToMany else {
            throw ObjectPredicateError("the path is to-many: it has no one value", keyPath: keyPath)
        }
    }

    /// The type of the values at the end; nil for identifiers.
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

    /// The type of the result of an aggregate over the values; nil where the values are identifiers.
    package func valueType(of aggregate: ObjectPredicate.Aggregate) -> AttributeType? {
        switch aggregate {
        case .count: .integer64
        case .average: .double
        case .min, .max: valueType
        case .sum: valueType?.isInteger == true ? .integer64 : valueType == .float ? .double : valueType
        }
    }
}
