import Foundation
import TributaryChanges
import TributaryModel
import TributaryStore

struct DerivedValues {
    let context: ManagedObjectContext
    let reader: Reader
    let now: PropertyValue
    let dropped: Set<ObjectIdentifier>
    var removed: Set<ManagedObjectID> = []

    struct Subject {
        var id: ManagedObjectID
        var descriptor: EntityDescriptor
        var values: [PropertyValue]
    }

    func subject(_ id: ManagedObjectID) throws -> Subject? {
        if removed.contains(id) { return nil }
        if let object = context.registeredObject(for: id), object.isDirty,
            !dropped.contains(ObjectIdentifier(object))
        {
            guard object.state != .deleted else { return nil }
            if object.state == .inserted || !object.changed.isEmpty {
                return Subject(id: object.objectID, descriptor: object.descriptor, values: try values(of: object))
            }
        }
        guard let row = try reader.row(id.uniqueID, rootEntity: id.rootEntity),
            let descriptor = context.schema.descriptor(named: row.entity.name)
        else { return nil }
        return Subject(id: row.id, descriptor: descriptor, values: row.values)
    }

    private func values(of object: ManagedObject) throws -> [PropertyValue] {
        guard object.state == .updated,
            let row = try reader.row(object.uniqueID, rootEntity: object.descriptor.entity.root),
            row.revision != object.rowRevision, row.values.count == object.values.count
        else { return object.values }
        return object.rebased(on: row.values)
    }

    func change(of id: ManagedObjectID, isChanged: Bool) throws -> Change? {
        guard let subject = try subject(id), !subject.descriptor.properties.derivations.isEmpty else { return nil }
        let writes = try writes(for: subject, isChanged: isChanged)
        guard !writes.isEmpty else { return nil }
        return Change(entity: subject.descriptor.entity.name, id: id.uniqueID, operation: .update(writes))
    }

    /// `now()` has a new value only when the object has changed.
    func writes(for subject: Subject, isChanged: Bool) throws -> [PropertyWrite] {
        try subject.descriptor.properties.derivations.compactMap { propertyIndex, derivation in
            guard let attribute = subject.descriptor.entity.properties[propertyIndex].attribute,
                derivation != .now || isChanged,
                let value = try value(of: derivation, attribute, for: subject), attribute.type.accepts(value),
                value != subject.values[propertyIndex]
            else { return nil }
            return PropertyWrite(name: attribute.name, value: value.json)
        }
    }

    func value(of derivation: Derivation, _ attribute: Attribute, for subject: Subject) throws -> PropertyValue? {
        let entity = subject.descriptor.entity
        switch derivation {
        case .now:
            // The number is in seconds since 2001, as in Core Data's stores.
            guard attribute.type == .double, case .date(let seconds) = now else { return now }
            return .double(seconds.secondsSinceReferenceDate)
        case .value(let relationship, let name, let function):
            var source: Subject? = subject
            if let relationship {
                guard let propertyIndex = entity.propertyIndex(named: relationship),
                    let destination = entity.properties[propertyIndex].relationship?.destination,
                    let descriptor = context.schema.descriptor(named: destination)
                else { return nil }
                source = try subject.values[propertyIndex].referencedID.flatMap {
                    try self.subject(descriptor.objectID($0))
                }
            }
            guard let source else { return .null }
            guard let propertyIndex = source.descriptor.propertyIndex(named: name) else { return nil }
            let value = source.values[propertyIndex]
            return function.map { $0.value(of: [value]) } ?? value
        case .count(let relationship):
            guard let propertyIndex = entity.propertyIndex(named: relationship) else { return nil }
            return number(Decimal(try members(of: subject, propertyIndex).count), attribute)
        case .aggregate(let aggregate, let relationship, let name):
            guard let propertyIndex = entity.propertyIndex(named: relationship) else { return nil }
            let values = try members(of: subject, propertyIndex).compactMap { id -> PropertyValue? in
                guard let member = try self.subject(id),
                    let propertyIndex = member.descriptor.propertyIndex(named: name)
                else { return nil }
                return member.values[propertyIndex]
            }
            // The minimum and the maximum keep all bits of a date, which a decimal number may lose.
            let dates = attribute.type == .date && aggregate != .sum ? values.compactMap(\.date) : []
            if let first = dates.min(), let last = dates.max() { return .date(aggregate == .min ? first : last) }
            let numbers = values.compactMap(DerivedValues.decimal)
            let result: Decimal? =
                switch aggregate {
                case .sum: numbers.reduce(0, +)
                case .min: numbers.min()
                case .max: numbers.max()
                }
            return result.map { number($0, attribute) } ?? .null
        }
    }

    private func members(of subject: Subject, _ propertyIndex: Int) throws -> [ManagedObjectID] {
        let stored = try reader.related(
            to: subject.id.uniqueID,
            entity: subject.descriptor.entity,
            propertyIndex: propertyIndex
        )
        let key = RelationshipDelta.Key(subject.descriptor, subject.id.uniqueID, propertyIndex)
        let difference = context.pending.delta[key]
        let known = difference?.added.isEmpty == false ? Set(stored) : []
        let added = (difference?.addedInOrder ?? []).filter { !known.contains($0) }
        return (stored.filter { difference?.removed.contains($0) != true } + added).filter { id in
            if removed.contains(id) { return false }
            guard let object = context.registeredObject(for: id) else { return true }
            return object.state != .deleted && object.state != .gone && !dropped.contains(ObjectIdentifier(object))
        }
    }

    private func number(_ value: Decimal, _ attribute: Attribute) -> PropertyValue {
        let number = NSDecimalNumber(decimal: value)
        let result: PropertyValue
        switch attribute.type {
        case .integer16, .integer32, .integer64:
            let whole = number.int64Value
            // A number that does not fit wraps around.
            let isExact = (Decimal(whole) - value).magnitude < 1
            result = isExact ? .integer(whole) : .null
        case .decimal: result = .decimal(value.description)
        case .date: result = .date(DateValue(unixSeconds: number.doubleValue))
        default: result = .double(number.doubleValue)
        }
        return attribute.type.accepts(result) ? result : .null
    }

    private static func decimal(_ value: PropertyValue) -> Decimal? {
        switch value {
        case .integer(let value): Decimal(value)
        case .double(let value): value.isFinite ? Decimal(string: "\(value)") : nil
        case .date(let value): Decimal(string: "\(value.unixSeconds)")
        case .decimal(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        default: nil
        }
    }
}

struct DerivationDependency: Sendable {
    let owner: Entity
    let propertyIndex: Int
    let relationship: Relationship
    let destination: EntityDescriptor
    let inverseIndex: Int?

    static func all(of kinds: [EntityDescriptor], among descriptors: [String: EntityDescriptor]) -> [Self] {
        kinds.sorted { $0.entity.name < $1.entity.name }.flatMap { kind -> [Self] in
            let indexes = Set(
                kind.properties.derivations.compactMap { $1.relationship.flatMap(kind.propertyIndex(named:)) }
            )
            return indexes.sorted().compactMap { propertyIndex in
                guard let relationship = kind.entity.properties[propertyIndex].relationship,
                    let destination = descriptors[relationship.destination]
                else { return nil }
                return DerivationDependency(
                    owner: kind.entity,
                    propertyIndex: propertyIndex,
                    relationship: relationship,
                    destination: destination,
                    inverseIndex: relationship.inverse.flatMap(destination.propertyIndex(named:))
                )
            }
        }
    }

    func owners(
        of member: UniqueID,
        _ reader: Reader,
        through owners: (_ inverseIndex: Int) throws -> [ManagedObjectID]
    ) throws -> [ManagedObjectID] {
        guard relationship.isToMany else {
            return try reader.holders(of: [(propertyIndex, .reference(member))], entity: owner).map(\.id)
        }
        if let inverseIndex { return try owners(inverseIndex) }
        return try reader.owners(of: member, entity: owner, propertyIndex: propertyIndex)
    }
}

extension PropertyValue {
    fileprivate var date: DateValue? {
        if case .date(let value) = self { value } else { nil }
    }
}
