extension Entity {
    /// An entity without properties, for an object whose entity the model does not have.
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
