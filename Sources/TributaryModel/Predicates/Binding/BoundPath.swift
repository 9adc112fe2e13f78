package struct BoundPath: Sendable {
    package struct Step: Sendable {
        package let source: Entity
        package let propertyIndex: Int
        package let relationship: Relationship
        package let destination: Entity
        /// The condition of a subquery on the objects after the step, which are its innermost scope.
        package var filter: BoundPredicate?
    }

    package indirect enum Terminal: Sendable {
        case identity
        case attribute(propertyIndex: Int, Attribute)
        case member(propertyIndex: Int, Attribute, path: [String], Attribute)
        case reference(propertyIndex: Int, Relationship, RelationshipStorage)
        case count(propertyIndex: Int, Relationship, RelationshipStorage)
        case aggregate(ObjectPredicate.Aggregate, BoundPath)
        case entity
        case derived(TextDerivation, Terminal)
    }

    /// 0 for the evaluated object, greater numbers for the objects of subqueries.
    package var scope = 0
    package let components: [String]
    package var steps: [Step]
    package private(set) var terminal: Terminal
    package let entity: Entity

    init(components: [String], steps: [Step], _ terminal: Terminal, of entity: Entity) {
        (self.components, self.steps, self.terminal, self.entity) = (components, steps, terminal, entity)
    }

    package var isToMany: Bool { steps.contains { $0.relationship.isToMany } }

    var isCollection: Bool {
        if case .identity = terminal { steps.last?.relationship.isToMany == true } else { false }
    }

    package var text: String { components.isEmpty ? "SELF" : components.joined(separator: ".") }

    package var kind: ValueKind {
        switch terminal {
        case .derived(let derivation, _): derivation.kind
        case .identity, .reference: .reference
        case .attribute(_, let attribute), .member(_, _, _, let attribute): attribute.type.kind
        case .count, .aggregate(.count, _), .aggregate(.average, _): .number
        case .aggregate(_, let path): path.kind
        case .entity: .string
        }
    }

    func destination(in model: Model) -> Entity? {
        switch terminal {
        case .identity: steps.last?.destination
        case .reference(_, let relationship, _): model.entity(named: relationship.destination)
        default: nil
        }
    }

    func derived(_ derivation: TextDerivation) -> BoundPath? {
        switch terminal {
        case .attribute, .member, .entity: break
        default: return nil
        }
        var path = self
        path.terminal = .derived(derivation, terminal)
        return path
    }
}

extension BoundPath {
    package init(ofValueAt keyPath: String, of entity: Entity, in model: Model) throws(ObjectPredicateError) {
        self = try PathBinder(entity: entity, model: model).bind(keyPath.keyPathComponents)
        guard !isToMany else {
            throw ObjectPredicateError("the path is to-many: it does not have a single value", keyPath: keyPath)
        }
    }

    package var valueType: AttributeType? {
        switch terminal {
        case .identity, .reference: nil
        case .attribute(_, let attribute), .member(_, _, _, let attribute): attribute.type
        case .count: .integer64
        case .derived(let derivation, _): derivation == .length ? .integer64 : .string
        case .entity: .string
        case .aggregate(let aggregate, let path): aggregate.type(of: path.valueType)
        }
    }
}
