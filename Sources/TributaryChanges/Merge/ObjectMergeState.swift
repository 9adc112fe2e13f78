/// The merge state of one object, whatever its form in a store is: a row, a tombstone, or deferred writes.
///
/// Merge statements 2 (two inserts of one identifier are one object), 3 (visible when inserted is not before deleted),
/// 4 (the concrete entity is a register written by inserts) and 5 to 8 (registers). ``CounterTotals`` and ``LinkState``
/// belong to several objects or writers.
@usableFromInline
package struct ObjectMergeState<Registers: RegisterSet, Entity> {
    @usableFromInline package typealias Stamp = Registers.Stamp

    /// The greatest version of an insert; nil without an insert, or when it is no longer known.
    @usableFromInline package internal(set) var inserted: Stamp?
    @usableFromInline package internal(set) var entity: Entity?
    @usableFromInline package internal(set) var deleted: Stamp?
    @usableFromInline package var registers: Registers

    @inlinable
    package init(insert: (version: Stamp, entity: Entity)? = nil, deleted: Stamp? = nil, registers: Registers) {
        inserted = insert?.version
        entity = insert?.entity
        self.deleted = deleted
        self.registers = registers
    }

    /// Returns whether the insert is the greatest so far; then its entity is the object's.
    @inlinable
    package mutating func insert(
        at version: Stamp,
        entity: Entity,
        by order: some VersionOrder<Stamp>
    ) throws -> Bool {
        if let inserted, try order.isOlder(version, than: inserted) { return false }
        (inserted, self.entity) = (version, entity)
        return true
    }

    /// Removes the registers that the deletion supersedes; returns whether it is the greatest deletion so far.
    @inlinable
    package mutating func delete(
        at version: Stamp,
        by order: some VersionOrder<Stamp>,
        rule: (Registers.Name) -> MergeRule
    ) throws -> Bool {
        guard try order.later(deleted, version) == version else { return false }
        deleted = version
        // Most registers of an object have one version.
        var last: (version: Stamp, isSuperseded: Bool)?
        try registers.remove { name, written in
            guard rule(name).comparesVersions else { return false }
            if let last, last.version == written { return last.isSuperseded }
            let isSuperseded = try order.isSuperseded(written, by: version)
            last = (written, isSuperseded)
            return isSuperseded
        }
        return true
    }

    @inlinable
    package func accepts(
        _ write: Register<Stamp, Registers.Value>,
        to name: Registers.Name,
        by rule: MergeRule,
        _ order: some VersionOrder<Stamp>
    ) throws -> Bool {
        try rule.accepts(
            write,
            over: registers.version(of: name),
            holding: registers.value(of: name),
            after: deleted,
            by: order
        )
    }

    @inlinable
    package mutating func write(
        _ write: Register<Stamp, Registers.Value>,
        to name: Registers.Name,
        by rule: MergeRule,
        _ order: some VersionOrder<Stamp>
    ) throws -> Bool {
        guard try accepts(write, to: name, by: rule, order) else { return false }
        registers.set(write, of: name)
        return true
    }

    /// Whether the object is visible, unless a unique key hides it: inserted, and not deleted since.
    @inlinable
    package func isLive(by order: some VersionOrder<Stamp>) throws -> Bool {
        guard let inserted else { return false }
        guard let deleted else { return true }
        return try !order.isOlder(inserted, than: deleted)
    }
}

/// The registers of an object as they are stored; reading a version is cheap, and reading a value may not be.
@usableFromInline
package protocol RegisterSet<Stamp, Name> {
    associatedtype Stamp: Equatable
    associatedtype Name
    associatedtype Value: MergeValue

    /// Nil while the register has not been written, and after a deletion has superseded it.
    func version(of name: Name) -> Stamp?

    func value(of name: Name) throws -> Value

    mutating func set(_ register: Register<Stamp, Value>?, of name: Name)

    mutating func remove(_ isSuperseded: (Name, Stamp) throws -> Bool) rethrows
}
