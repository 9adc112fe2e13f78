import TributaryChanges

/// Determines the storage of relationships: a to-many relationship with a to-one inverse is derived from the inverse;
/// one-to-one and many-to-many relationships are stored once, on the side whose entity and name sort first.
extension ModelResolver {
    /// Returns the storage of a relationship that `definition` declares, after checking its destination and its
    /// inverse.
    ///
    /// The inverse may be declared by a parent of the destination. It may be the relationship itself: `friends` with
    /// the inverse `friends` has one pair for both directions.
    func storage(
        of relationship: Relationship,
        in definition: EntityDefinition,
        element: String
    ) throws(ModelError) -> RelationshipStorage {
        guard definitions[relationship.destination] != nil else {
            throw ModelError("the destination '\(relationship.destination)' does not exist", element: element)
        }
        let ownTable = "\(definition.name)_\(relationship.name)"
        guard let inverseName = relationship.inverse else {
            return relationship.isToMany ? .links(table: ownTable, ownsPairs: true) : .column
        }
        guard let (owner, inverse) = declared(inverseName, in: relationship.destination) else {
            throw ModelError(
                "the inverse '\(inverseName)' is no relationship of '\(relationship.destination)'",
                element: element
            )
        }
        guard let back = inverse.inverse, let (backOwner, backRelationship) = declared(back, in: inverse.destination),
            backOwner == definition.name, backRelationship.name == relationship.name
        else {
            let leads = inverse.inverse.map { "to '\(inverse.destination).\($0)'" } ?? "nowhere"
            throw ModelError(
                "the inverse '\(owner).\(inverseName)' does not lead back here: its own inverse leads \(leads)",
                element: element
            )
        }
        let isFirst =
            definition.name == owner
            ? !inverse.name.precedesByBytes(relationship.name) : definition.name.precedesByBytes(owner)
        switch (relationship.isToMany, inverse.isToMany) {
        case (false, true): return .column
        case (true, false): return .inverse(entity: owner, relationship: inverse.name)
        case (false, false):
            return isFirst ? .column : .inverse(entity: owner, relationship: inverse.name)
        case (true, true):
            return isFirst
                ? .links(table: ownTable, ownsPairs: true)
                : .links(table: "\(owner)_\(inverse.name)", ownsPairs: false)
        }
    }

    /// Returns the relationship with the given name in an entity or its nearest ancestor, and the entity that declares
    /// it.
    private func declared(_ name: String, in entity: String) -> (String, Relationship)? {
        var next: String? = entity
        var visited: Set<String> = []
        while let current = next, visited.insert(current).inserted, let definition = definitions[current] {
            if let relationship = definition.relationships.first(where: { $0.name == name }) {
                return (current, relationship)
            }
            next = definition.parent
        }
        return nil
    }
}
