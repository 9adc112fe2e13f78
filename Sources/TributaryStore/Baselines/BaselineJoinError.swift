/// The reason for which a store cannot join a baseline.
package enum BaselineJoinError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The baseline has merged a property, or with no property the objects of an entity, by another rule.
    ///
    /// `theirs` and `own` are the rules, or the root entities of the entity; `model` is the version of the model with
    /// which the baseline was made.
    case otherRule(_ entity: String, _ property: String?, theirs: String, own: String, model: String?)
    /// With the rules of the baseline the store would have more than its own baselines can say.
    case tooManyRules(bytes: Int)
    /// The baseline has a greatest or least value of a property that has none under the rules of the store's model.
    case noBound(entity: String, property: String)

    package var description: String {
        switch self {
        case .otherRule(let entity, let property, let theirs, let own, let model):
            let version = model.map { "version '\($0)'" } ?? "another version"
            let subject = property.map { "'\(entity.prefix(80)).\($0.prefix(80))'" } ?? "'\(entity.prefix(80))'"
            let kind = property == nil ? "the root entity" : "the merge rule"
            return """
                the baseline, made with \(version) of the model, has \(subject) with \(kind) '\(theirs.prefix(80))', and \
                this machine has it with '\(own.prefix(80))'. Upgrade this machine to that model; or on a machine with \
                the model of this one: tributaryctl compact
                """
        case .tooManyRules(let bytes):
            return """
                the merge rules of the baseline and those that this machine has already have \(bytes) bytes, more than \
                \(StoreModel.ruleBytes). On a machine with the model of this one: tributaryctl compact
                """
        case .noBound(let entity, let property):
            return """
                the baseline has a bound of '\(entity.prefix(80)).\(property.prefix(80))', whose merge rule is neither max \
                nor min
                """
        }
    }
}
