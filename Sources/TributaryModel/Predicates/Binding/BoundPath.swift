/// A key path with its names looked up in the model.
package struct BoundPath: Sendable {
    /// One relationship on the way.
    package struct Step: Sendable {
        /// The entity that the way leaves; objects of its sub-entities have the same slot.
        package let source: Entity
        package let slot: Int
        package let relationship: Relationship
        package let storage: RelationshipStorage
        package let destination: Entity
        /// The condition of a subquery on the objects there; they are the innermost scope in it.
        package var filter: BoundPredicate?
    }

    /// What the way ends with.
    package indirect enum Terminal: Sendable {
        /// The object itself, its UUID.
        case identity
        case attribute(slot: Int, Attribute)
        /// A member of a composite attribute, by its names from the outside in.
        case member(slot: Int, Attribute, path: [String], Attribute)
        /// A to-one relationship: the UUID of its target, or nothing.
        case reference(slot: Int, Relationship, RelationshipStorage)
        /// How many objects a to-many relationship leads to.
        case count(slot: Int, Relationship, RelationshipStorage)
        /// What the values of a to-many path from there come to.
        case aggregate(ObjectPredicate.Aggregate, BoundPath)
        /// The name of the object's own entity.
        case entity
        /// What is made of the string that another ending leads to.
        case derived(TextDerivation, Terminal)
    }

    /// Where the way starts: 0 is the object that is asked about, greater ones are those of subqueries.
    package var scope = 0
    /// The names, as they were given.
    package let components: [String]
    package var steps: [Step]
    package let terminal: Terminal
    /// The entity of the objects in which the way ends.
    package let entity: Entity

    /// Whether the way leads to any number of values instead of one.
    package var isToMany: Bool { steps.contains { $0.relationship.isToMany } }

    /// Whether the way ends with a to-many relationship itself.
    var isCollection: Bool {
        if case .identity = terminal { steps.last?.relationship.isToMany == true } else { false }
    }

    package var text: String { components.isEmpty ? "SELF" : components.joined(separator: ".") }

    /// What can be compared with the values at the end.
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

    /// The path with something made of its string; nil for an aggregate, whose values are its own.
    func derived(_ derivation: TextDerivation) -> BoundPath? {
        switch terminal {
        case .attribute, .member, .entity: break
        default: return nil
        }
        var path = BoundPath(
            components: components,
            steps: steps,
            terminal: .derived(derivation, terminal),
            entity: entity
        )
        path.scope = scope
        return path
    }

    init(components: [String], steps: [Step], terminal: Terminal, entity: Entity) {
        self.components = components
        self.steps = steps
        self.terminal = terminal
        self.entity = entity
    }
}
