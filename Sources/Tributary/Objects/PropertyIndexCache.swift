public import Synchronization

/// A property's name with a cache of its property index, which is looked up again when the entity descriptor changes.
@usableFromInline
struct PropertyIndexCache: ~Copyable, Sendable {
    let name: String
    /// The descriptor's serial in the upper half, the property index in the lower; a property index of all ones means
    /// that there is none.
    @usableFromInline let cached = Atomic<UInt64>(0)
    /// The serials of the descriptors that the key was found to fit.
    private let fitting = Mutex<Set<UInt32>>([])
    /// The maximum number of remembered descriptors; beyond it a key is checked again.
    private static let remembered = 4096

    init(_ name: String) {
        self.name = name
    }

    @inlinable
    func known(in descriptor: EntityDescriptor) -> Int? {
        let known = cached.load(ordering: .relaxed)
        guard UInt32(truncatingIfNeeded: known >> 32) == descriptor.serial else { return nil }
        return Int(Int32(truncatingIfNeeded: known))
    }

    /// Returns the property index, or -1 when the model does not have the entity, so that the object is never found.
    ///
    /// A key that does not fit the entity stops the program: values that are written through it would be lost.
    func find(in descriptor: EntityDescriptor, for field: any CheckedField) -> Int {
        if descriptor.isKnown, !fitting.withLock({ $0.contains(descriptor.serial) }) {
            if let reason = field.mismatch(in: descriptor) {
                fatalError(FieldProblem(field, in: descriptor, reason: reason).description)
            }
            fitting.withLock { serials in
                if serials.count >= PropertyIndexCache.remembered { serials.removeAll() }
                serials.insert(descriptor.serial)
            }
        }
        let propertyIndex = Int32(truncatingIfNeeded: descriptor.propertyIndex(named: name) ?? -1)
        cached.store(UInt64(descriptor.serial) << 32 | UInt64(UInt32(bitPattern: propertyIndex)), ordering: .relaxed)
        return Int(propertyIndex)
    }
}
