/// A reason why a mapping cannot be inferred, with its remedy.
enum IncompatibilityReason {
    case abstract, split, kind, mergeRule, type, composite, mandatory, destination, toOne, oneToMany

    var reason: String {
        switch self {
        case .abstract: "an abstract entity has no objects of its own, and there may be some"
        case .split: "of deleted objects only the root entity is known, so a hierarchy cannot be taken apart"
        case .kind: "values are no objects"
        case .mergeRule: "what was merged by one rule would have come out otherwise by the other"
        case .type: "not every value of the one type is one of the other"
        case .composite: "members of the composite have gone or have another type"
        case .mandatory: "there may be objects without a value, and there is no default to fill in"
        case .destination: "the objects that it leads to are not of the new destination"
        case .toOne: "there may be several objects at the other end"
        case .oneToMany: "an object at the other end may belong to several"
        }
    }

    var help: String {
        switch self {
        case .abstract: "add a concrete sub-entity and leave this one concrete"
        case .split: "add a new entity and move the objects in a stage of one's own"
        case .mandatory: "give a default, leave it optional, or write a stage of one's own"
        case .destination:
            "set the renaming identifier of the destination, use another name, or write a stage of one's own"
        case .kind, .mergeRule, .type, .composite, .toOne, .oneToMany:
            "add a property of another name, or write a stage of one's own"
        }
    }
}
