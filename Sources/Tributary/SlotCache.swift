public import Synchronization

/// A property's name with its slot, which is looked up once for each kind of object it is used on in turn.
@usableFromInline
struct SlotCache: ~Copyable, Sendable {
    let name: String
    /// The kind's serial in the upper half, the slot in the lower; a slot of all ones says that there is none.
    @usableFromInline let cached = Atomic<UInt64>(0)

    init(_ name: String) {
        self.name = name
    }

    /// The slot, -1 when the kind has no such property.
    @inlinable
    func slot(in kind: ObjectKind) -> Int {
        let known = cached.load(ordering: .relaxed)
        guard UInt32(truncatingIfNeeded: known >> 32) == kind.serial else { return find(in: kind) }
        return Int(Int32(truncatingIfNeeded: known))
    }

    @usableFromInline
    @inline(never)
    func find(in kind: ObjectKind) -> Int {
        let slot = Int32(truncatingIfNeeded: kind.slot(named: name) ?? -1)
        cached.store(UInt64(kind.serial) << 32 | UInt64(UInt32(bitPattern: slot)), ordering: .relaxed)
        return Int(slot)
    }
}
