public import Synchronization

/// A property's name with a cache of its slot, which is looked up again when the entity descriptor changes.
@usableFromInline
struct SlotCache: ~Copyable, Sendable {
    let name: String
    /// The descriptor's serial in the upper half, the slot in the lower; a slot of all ones means that there is none.
    @usableFromInline let cached = Atomic<UInt64>(0)
    /// The serials of the descriptors that the key was found to fit.
    private let fitting = Mutex<Set<UInt32>>([])
    /// The maximum number of remembered descriptors; beyond it a key is checked again.
    private static let remembered = 4096

    init(_ name: String) {
        self.name = name
    }

    /// Returns the cached slot, or nil when the cache is for another descriptor.
    @inlinable
    func known(in kind: ObjectKind) -> Int? {
        let known = cached.load(ordering: .relaxed)
        guard UInt32(truncatingIfNeeded: known >> 32) == kind.serial else { return nil }
        return Int(Int32(truncatingIfNeeded: known))
    }

    /// Returns the slot, or -1 when the model does not have the entity, so that the object is never found.
    ///
    /// A key that does not fit the entity stops the program: values that are written through it would be lost.
    func find(in kind: ObjectKind, for field: any CheckedField) -> Int {
        if kind.isKnown, !fitting.withLock({ $0.contains(kind.serial) }) {
            if let reason = field.mismatch(in: kind) {
                fatalError(FieldProblem(field, in: kind, reason: reason).description)
            }
            fitting.withLock { serials in
                if serials.count >= SlotCache.remembered { serials.removeAll() }
                serials.insert(kind.serial)
            }
        }
        let slot = Int32(truncatingIfNeeded: kind.slot(named: name) ?? -1)
        cached.store(UInt64(kind.serial) << 32 | UInt64(UInt32(bitPattern: slot)), ordering: .relaxed)
        return Int(slot)
    }
}
