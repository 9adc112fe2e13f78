package import TributaryChanges
import TributaryModel

/// The storage of writes to a former relationship, when it is not in the rows of the entity itself.
///
/// A store that had the relationship has such a write in the register or the pair of the other side. A store that never
/// had it must put the write there too, so that both stores have equal states.
enum FormerKeeper {
    /// Pairs that the model still has; `ownsPairs` is true when the writing object is their source.
    case pairs(link: Int, ownsPairs: Bool)
    /// A register of the other object that the model still has.
    case register(StoreModel.ColumnIndex)
    /// Pairs that the model has removed as well, with the other object as their source.
    case formerPairs(entity: String, property: String)
    /// A register of the other object that the model has removed as well.
    case formerRegister(entity: String, property: String)
}

extension StoreModel {
    /// The storage of a former relationship; nil for properties that the entity has, never had, or kept itself.
    func formerKeeper(ofProperty name: String, of entity: String) -> FormerKeeper? {
        guard case .relationship(let relationship, let storage)? = formerProperty(named: name, of: entity),
            let inverse = relationship.inverse
        else { return nil }
        if let (owner, place) = counterpart(ofProperty: name, of: entity) {
            return switch (place, storage) {
            case (.links(let link, let ownsPairs), .links): .pairs(link: link, ownsPairs: !ownsPairs)
            case (.column(let column), .inverse): .register(ColumnIndex(table: owner.table, column: column))
            default: nil
            }
        }
        if let later = laterInverse(ofProperty: name, of: entity) {
            return switch storage {
            case .links: .formerPairs(entity: later.entity, property: later.property)
            case .inverse: .formerRegister(entity: later.entity, property: later.property)
            case .column: nil
            }
        }
        return switch storage {
        case .inverse(let owner, let property): .formerRegister(entity: owner, property: property)
        case .links(_, ownsPairs: false): .formerPairs(entity: relationship.destination, property: inverse)
        case .links, .column: nil
        }
    }

    /// The side under which pairs of a former relationship are deferred, when the given side is not it.
    package func formerPairsOwner(ofProperty name: String, of entity: String) -> (entity: String, property: String)? {
        guard case .formerPairs(let owner, let property)? = formerKeeper(ofProperty: name, of: entity) else {
            return nil
        }
        return (owner, property)
    }

    /// Whether a deferred change can be merged now: the model has its entity, or other objects keep a part of it.
    package func represents(_ change: Change) -> Bool {
        if entityIndex(named: change.entity) != nil || survivingRoot(ofEntity: change.entity) != nil { return true }
        let entity = lastName(ofEntity: change.entity)
        return switch change.operation {
        case .insert(let writes), .update(let writes):
            writes.contains { formerKeeper(ofProperty: $0.name, of: entity) != nil }
        case .link(let name, _, _), .unlink(let name, _): formerKeeper(ofProperty: name, of: entity) != nil
        case .delete: false
        }
    }
}
