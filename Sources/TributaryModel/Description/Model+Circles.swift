extension Model {
    /// A notice for each to-one relationship that can make objects each other's ancestors.
    ///
    /// Each machine may move an object below another object. The merge takes both moves, because they write two
    /// registers: then the two objects are a circle without a root.
    package var circleNotices: [String] {
        entities.flatMap { entity -> [String] in
            entity.declaredNames.compactMap { name in
                guard case .relationship(let relationship, .column)? = entity.property(named: name),
                    let destination = self.entity(named: relationship.destination),
                    entity.isKind(of: destination.name) || destination.isKind(of: entity.name),
                    inverse(of: relationship).map(\.isToMany) ?? true
                else { return nil }
                return """
                    \(entity.name).\(name) leads to \(destination.name) again: two machines that each move one of two \
                    objects below the other leave a circle without a root, and no conflict; let the program look for circles \
                    after a merge (MergeRules.md, "What the program does not do yet")
                    """
            }
        }
    }

    private func inverse(of relationship: Relationship) -> Relationship? {
        relationship.inverse.flatMap { entity(named: relationship.destination)?.property(named: $0)?.relationship }
    }
}
