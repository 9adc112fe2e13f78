extension Entity {
    /// An entity without properties, for objects of an entity that is not in the model.
    package static func unknown(named name: String) -> Entity {
        Entity(
            definition: EntityDefinition(name: name),
            root: name,
            ancestors: [],
            subentities: [],
            ownProperties: [],
            properties: [],
            uniquenessConstraints: [],
            fetchIndexes: []
        )
    }
}
