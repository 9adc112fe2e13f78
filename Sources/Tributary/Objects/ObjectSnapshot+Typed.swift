import TributaryModel

extension ObjectSnapshot {
    /// The values that a typed snapshot writes; derived attributes are not among them.
    ///
    /// They are read from an object of a context of its own, which is closed at once.
    init<Snapshot: TypedSnapshot>(valuesOf snapshot: Snapshot, in home: ContextHome) throws(ContextError) {
        let context = ManagedObjectContext(home: home, mergePolicy: .error)
        defer { context.close() }
        let object = try context.insert(from: snapshot)
        let names = object.kind.entity.properties.filter { $0.attribute?.derivationExpression == nil }.map(\.name)
        self = object.snapshot(include: Set(names))
    }
}
