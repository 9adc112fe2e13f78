enum IncompatibilityReason {
    case abstract, split, join, kind, mergeRule, type, form, mergedForm, composite, mandatory, destination, toOne,
        oneToMany
    case storage

    var reason: String {
        switch self {
        case .abstract: "an abstract entity has no objects of its own, and there may be some"
        case .split: "the store keeps only the root entity of deleted objects, so a hierarchy cannot be divided"
        case .join: "the store identifies an object by its root entity, so two hierarchies cannot become one"
        case .kind: "an attribute has values and a relationship has objects"
        case .mergeRule: "the merged values depend on the rule, and writes under the old rule cannot be merged again"
        case .type: "the new type cannot hold every value of the old type"
        case .form:
            "writers write true and false where the new type has numbers, and those with the older version go on to do so"
        case .mergedForm:
            "the merge rule has merged values in the form of the old type, and the new type writes them in another form"
        case .composite: "members of the composite were removed or changed their type"
        case .mandatory: "there may be objects without a value, and there is no default to fill in"
        case .destination: "its objects may not be of the new destination entity"
        case .toOne: "there may be several objects at the other end"
        case .oneToMany: "an object at the other end may belong to several"
        case .storage: "the removed side stores the objects of both"
        }
    }

    var help: String {
        switch self {
        case .abstract: "add a concrete sub-entity and leave this one concrete"
        case .split, .join: "add a new entity and move the objects in a custom stage"
        case .storage:
            "keep both sides, or remove both and add a relationship of another name that a custom stage fills"
        case .mandatory: "give a default, leave it optional, or write a custom stage"
        case .destination:
            "set the renaming identifier of the destination, use another name, or write a custom stage"
        case .kind, .mergeRule, .type, .form, .mergedForm, .composite, .toOne, .oneToMany:
            "add a property of another name, or write a custom stage"
        }
    }
}
