package import TributaryModel

extension FormerNames {
    /// Collects the former names of a model from its older versions.
    ///
    /// Each history is followed to `model` on its own, unless it is the end of a history before it.
    package init(of model: Model, histories: [ModelVersions]) {
        self.init(of: model)
        let chains = histories.enumerated().compactMap { index, history in
            histories[..<index].contains(where: history.areLast) ? nil : VersionChain(history.passing(), to: model)
        }
        // The oldest version with a name decides which current name it stands for.
        for chain in chains {
            var known: Set<ObjectIdentifier> = []
            for version in chain.versions.reversed() {
                for entity in version where !entity.isRemoved && known.insert(ObjectIdentifier(entity)).inserted {
                    insert(entity.firstName, ofEntity: entity.lastName)
                    guard let current = model.entity(named: entity.lastName) else { continue }
                    for case (let former, .current(let name)) in entity.properties {
                        insert(former, ofProperty: name, of: current)
                    }
                }
            }
        }
        // The newest version with a name decides what was removed.
        for chain in chains.reversed() {
            var known: Set<ObjectIdentifier> = []
            for version in chain.versions {
                for entity in version.reversed() where known.insert(ObjectIdentifier(entity)).inserted {
                    if entity.isRemoved { insertRemoved(entity: entity.firstName, lastName: entity.lastName) }
                    if let root = entity.root { setRoot(root, ofRemoved: entity.lastName) }
                    for case (let former, .removed(let property, _)) in entity.properties {
                        insertRemoved(property, named: former, of: entity.lastName)
                    }
                }
            }
        }
    }
}
