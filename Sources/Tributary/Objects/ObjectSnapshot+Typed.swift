import TributaryModel

extension ObjectSnapshot {
    /// Creates the snapshot of the values that a typed snapshot writes, without derived attributes.
    ///
    /// The values are read from an object of a temporary context, which is closed at once.
    init<Snapshot: TypedSnapshot>(valuesOf snapshot: Snapshot, in home: ContextHome) throws(ContextError) {
        let context = ManagedObjectContext(home: home, mergePolicy: .error)
        defer { context.close() }
        let object = try context.insert(from: snapshot)
        let names = object.descriptor.entity.properties.filter { $0.attribute?.derivationExpression == nil }.map(\.name)
        self = object.snapshot(include: Set(names))
    }
}
