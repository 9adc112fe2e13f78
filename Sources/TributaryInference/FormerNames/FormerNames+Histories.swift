package import TributaryModel

extension FormerNames {
    /// Collects the former names of a model from its older versions.
    package init(of model: Model, histories: [[Model]]) {
        self.init(of: model)
        for history in histories where !history.isEmpty {
            let chain = VersionChain(history + [model])
            for mapping in chain.mappingsToLast() {
                for entity in model.entities {
                    insert(mapping.entities[entity.name], ofEntity: entity.name)
                    for property in entity.properties {
                        let former = mapping.property(property.name, of: entity.name)
                        insert(former, ofProperty: property.name, of: entity)
                    }
                }
            }
            for index in history.indices {
                for entity in history[index].entities { insertRemoved(chain.follow(entity, from: index)) }
            }
        }
    }

    /// Inserts what is removed of an entity: the entity itself, or some of its properties.
    private mutating func insertRemoved(_ followed: VersionChain.Followed) {
        if followed.isRemoved { insertRemoved(entity: followed.firstName, lastName: followed.lastName) }
        if let root = followed.root { setRoot(root, ofRemoved: followed.lastName) }
        for (name, property) in followed.removedProperties {
            insertRemoved(property, named: name, of: followed.lastName)
        }
    }
}
