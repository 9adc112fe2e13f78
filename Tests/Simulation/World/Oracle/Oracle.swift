import TestSupport
import TributaryChanges
import TributaryModel

/// The merge rules in their plainest form.
///
/// The oracle plays all transactions one after the other in the order of their versions, over dictionaries. A store
/// must show this result, in whatever order it received the transactions.
struct Oracle {
    struct Key: Hashable {
        var root: String
        var id: UniqueID
    }

    struct Register {
        var value: PropertyValue
        var version: Version
    }

    struct Object {
        var entity = ""
        var isLive = false
        /// The version of the last insert.
        var inserted = Version.none
        var registers: [String: Register] = [:]
        /// The amounts that have been counted, by attribute.
        var amounts: [String: [PropertyValue]] = [:]
    }

    struct Pair: Hashable {
        var table: String
        var source: Key
        var target: Key
    }

    let model: Model
    private(set) var objects: [Key: Object] = [:]
    /// The linked pairs with their positions.
    private(set) var pairs: [Pair: String] = [:]
    /// For each shadow, the visible object that represents it.
    private(set) var representatives: [Key: UniqueID] = [:]

    init(_ model: Model, _ transactions: [(writer: UniqueID, transaction: LogTransaction)]) {
        self.model = model
        let ordered = transactions.map {
            (Version(clock: $0.transaction.header.clock, writer: $0.writer), $0.transaction)
        }
        .sorted { $0.0 < $1.0 }
        for (version, transaction) in ordered {
            for change in transaction.changes.deletionsFirst { play(change, version) }
        }
        representatives = decideUniqueness()
    }

    private mutating func play(_ change: Change, _ version: Version) {
        guard let entity = model.entity(named: change.entity) else { return }
        let key = Key(root: entity.root, id: change.id)
        switch change.operation {
        case .insert(let writes):
            guard !entity.isAbstract else { return }
            objects[key, default: Object()].entity = entity.name
            objects[key]?.isLive = true
            objects[key]?.inserted = version
            for write in writes { self.write(write, of: entity, key, version, isInsert: true) }
        case .update(let writes):
            for write in writes { self.write(write, of: entity, key, version, isInsert: false) }
        case .delete: delete(key, entity)
        case .link(let name, let ids, let positions):
            for (index, id) in ids.enumerated() {
                link(entity, key, name, id, version, position: positions?[index] ?? "", isLink: true)
            }
        case .unlink(let name, let ids):
            for id in ids { link(entity, key, name, id, version, position: "", isLink: false) }
        }
    }

    private mutating func delete(_ key: Key, _ entity: Entity) {
        objects[key, default: Object()].isLive = false
        for name in (objects[key]?.registers ?? [:]).keys {
            let rule = model.entities.lazy.filter { $0.root == key.root }.compactMap { $0.property(named: name) }
                .first?.attribute?.mergeRule
            if rule ?? .latest == .latest { objects[key]?.registers[name] = nil }
        }
        pairs = pairs.filter { $0.key.source != key && $0.key.target != key }
    }

    private mutating func write(
        _ write: PropertyWrite,
        of entity: Entity,
        _ key: Key,
        _ version: Version,
        isInsert: Bool
    ) {
        let property = entity.property(named: write.name) ?? entity.renamedProperty(from: write.name)
        let write = PropertyWrite(name: property?.name ?? write.name, value: write.value)
        switch property {
        case .attribute(let attribute)?:
            if attribute.mergeRule == .counter {
                return count(write, attribute, key, isInsert: isInsert)
            }
            guard let value = attribute.value(from: write.value) else { return }
            let known = objects[key]?.registers[write.name]?.value
            if attribute.mergeRule != .latest, let known, !beats(value, known, attribute.mergeRule) { return }
            set(key, write.name, value, version)
        case .relationship(let relationship, .column)?:
            guard let value = relationship.value(from: write.value) else { return }
            set(key, write.name, value, version)
        case .relationship(_, .inverse(let owner, let register))?:
            guard case .string(let text) = write.value, let id = UniqueID(text), let other = model.entity(named: owner)
            else { return }
            set(Key(root: other.root, id: id), register, .reference(key.id), version)
        default: return
        }
    }

    private mutating func set(_ key: Key, _ name: String, _ value: PropertyValue, _ version: Version) {
        objects[key, default: Object()].registers[name] = Register(value: value, version: version)
    }

    private func beats(_ new: PropertyValue, _ old: PropertyValue, _ rule: MergeRule) -> Bool {
        guard case .integer(let left) = new else { return false }
        guard case .integer(let right) = old else { return true }
        return switch rule {
        case .max: left > right
        case .min: left < right
        case .latest, .counter: true
        }
    }

    private mutating func count(
        _ write: PropertyWrite,
        _ attribute: Attribute,
        _ key: Key,
        isInsert: Bool
    ) {
        let amount: JSONValue? = write.value["increment"] ?? (isInsert ? write.value : nil)
        guard let amount, let number = attribute.value(from: amount) else { return }
        objects[key, default: Object()].amounts[attribute.name, default: []].append(number)
    }

    /// The sum of whole numbers, which wraps around, or the exact sum of numbers with fractions, rounded once.
    ///
    /// The amounts of schedules are multiples of 2⁻⁵⁶ of at most 2⁶³, so that 128 bits hold their sum.
    static func sum(_ amounts: [PropertyValue]) -> PropertyValue {
        var whole: Int64 = 0
        var scaled: Int128 = 0
        var hasFraction = false
        for amount in amounts {
            switch amount {
            case .integer(let value): whole &+= value
            case .double(let value):
                hasFraction = true
                guard let exact = Int128(exactly: value * 0x1p56) else { return .null }
                scaled += exact
            default: return .null
            }
        }
        return hasFraction ? .double(Double(scaled) * 0x1p-56) : .integer(whole)
    }

    private mutating func link(
        _ entity: Entity,
        _ key: Key,
        _ name: String,
        _ id: UniqueID,
        _ version: Version,
        position: String,
        isLink: Bool
    ) {
        guard case .relationship(let relationship, let storage)? = entity.property(named: name),
            let destination = model.entity(named: relationship.destination)
        else { return }
        let other = Key(root: destination.root, id: id)
        switch storage {
        case .inverse(_, let register):
            set(other, register, isLink ? .reference(key.id) : .null, version)
            if isLink, relationship.isOrdered {
                pairs[Pair(table: "\(entity.root)_\(name)", source: key, target: other)] = position
            }
        case .links(let table, let ownsPairs):
            var ends = ownsPairs ? (key, other) : (other, key)
            if relationship.inverse == name, ends.1.id < ends.0.id { swap(&ends.0, &ends.1) }
            let pair = Pair(table: table, source: ends.0, target: ends.1)
            pairs[pair] = isLink ? position : nil
        case .column: return
        }
    }
}

extension Entity {
    /// The property that once had the name.
    fileprivate func renamedProperty(from name: String) -> Property? {
        properties.first { $0.attribute?.renamingIdentifier == name }
    }
}
