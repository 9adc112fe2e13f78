extension Model {
    /// Two machines may move two objects below each other, and the merge takes both moves: then they are a circle.
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
