import TributaryChanges

// What two replicas show after an exchange of their whole states. The store merges write by write; tests hold that against
// these merges, which are joins by their laws.

extension MergeRule {
    /// Merges the registers that two replicas have of one property, which is no counter.
    ///
    /// Deletions are merged separately and supersede the result.
    func merge<Order: VersionOrder>(
        _ first: Register<Order.Stamp, PropertyValue>?,
        _ second: Register<Order.Stamp, PropertyValue>?,
        by order: Order
    ) throws -> Register<Order.Stamp, PropertyValue>? {
        guard let first, let second else { return first ?? second }
        switch self {
        case .latest, .counter: break
        case .max, .min:
            if second.value.replaces(first.value, under: self) { return second }
            if first.value.replaces(second.value, under: self) { return first }
        }
        if try order.isOlder(first.version, than: second.version) { return second }
        if try order.isOlder(second.version, than: first.version) { return first }
        return first.value.precedes(second.value) ? second : first
    }
}

/// The state of an object whose registers, by their merge rules, are all in memory.
typealias MemoryState = ObjectMergeState<MemoryRegisters, Int>

struct MemoryRegisters: RegisterSet, Equatable {
    private(set) var registers: [MergeRule: Register<Version, PropertyValue>] = [:]

    func version(of rule: MergeRule) -> Version? { registers[rule]?.version }
    func value(of rule: MergeRule) -> PropertyValue { registers[rule]?.value ?? .null }
    mutating func set(_ register: Register<Version, PropertyValue>?, of rule: MergeRule) { registers[rule] = register }
    mutating func remove(_ isSuperseded: (MergeRule, Version) throws -> Bool) rethrows {
        registers = try registers.filter { try !isSuperseded($0.key, $0.value.version) }
    }
}

extension MemoryState: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.shown == right.shown }

    func merged(with other: Self, by order: WholeVersionOrder) throws -> Self {
        var insert = inserted.flatMap { version in entity.map { (version: version, entity: $0) } }
        if let version = other.inserted, let entity = other.entity,
            insert.map({ $0.version < version }) ?? true
        {
            insert = (version, entity)
        }
        let deleted = [deleted, other.deleted].compactMap(\.self).max()
        var merged = MemoryRegisters()
        for rule in Set(registers.registers.keys).union(other.registers.registers.keys) {
            let register = try rule.merge(registers.registers[rule], other.registers.registers[rule], by: order)
            let isSuperseded = try register.map { try order.isSuperseded($0.version, by: deleted) } ?? false
            if !(isSuperseded && rule.comparesVersions) { merged.set(register, of: rule) }
        }
        return MemoryState(insert: insert, deleted: deleted, registers: merged)
    }

    /// What all replicas have: an extreme does not depend on which equal value came first.
    var shown: [String] {
        let values = registers.registers.sorted { $0.key.rawValue < $1.key.rawValue }.map { rule, register in
            "\(rule) \(register.value.json.text) \(rule == .latest ? "\(register.version)" : "")"
        }
        return ["\(inserted, default: "never") \(entity, default: "") \(deleted, default: "never")"] + values
    }
}
