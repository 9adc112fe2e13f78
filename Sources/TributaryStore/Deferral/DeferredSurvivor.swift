import TributaryChanges

/// A write that the model cannot represent and that no other write supersedes, with the number of its transaction.
struct DeferredSurvivor {
    enum Kind {
        case deleted(Int64)
        /// An insertion, with the entity that it names.
        case inserted(Int64, entity: String)
        case value(property: String, JSONValue, Int64)
        /// A write without a rule; of those of one transaction to one property the later ones are higher layers.
        case kept(DeferredObject.Kept, layer: Int)
        case extreme(property: String, PropertyValue)
        /// The increments of the writer with this UUID.
        case total(property: String, DeferredObject.Total, writer: String)
        case pair(property: String, target: UniqueID, DeferredObject.PairValue, Int64)
    }

    var entity: String
    var id: UniqueID
    /// The entity that the write names, which may be a sub-entity of `entity`.
    var named: String
    var kind: Kind

    /// Whether a known version of the model has a rule for it, so that all stores with its transactions keep the same.
    var hasRule: Bool {
        switch kind {
        case .deleted, .inserted, .value, .extreme: true
        case .kept: false
        case .total(_, let total, _): total.hasRule
        case .pair(_, _, let value, _): value.place == nil
        }
    }
}
