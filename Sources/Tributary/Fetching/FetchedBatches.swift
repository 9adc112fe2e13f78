import TributaryChanges

/// The results of a request, whose rows are read batch by batch on access.
///
/// ```swift
/// var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
/// request.fetchBatchSize = 50
/// let all = try context.fetchBatches(request, as: Employee.self)
/// print(all.count, all[all.count - 1].name)  // reads the IDs and one batch
/// ```
/// The fetch determines the objects. The collection belongs to its context, like the objects, and holds the objects of
/// the batch that was read last.
public final class FetchedBatches<Object: ManagedObject>: RandomAccessCollection {
    /// The IDs of all results, in order.
    public let objectIDs: [ManagedObjectID]
    /// The number of rows that are read at once.
    public let batchSize: Int
    private let context: ManagedObjectContext
    private var held: (batch: Int, objects: [ManagedObject])?

    init(context: ManagedObjectContext, ids: [ManagedObjectID], batchSize: Int) {
        self.context = context
        objectIDs = ids
        self.batchSize = batchSize
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of results.
    public var endIndex: Int { objectIDs.count }

    /// The object at an index; its batch is read unless it is the one that was read last.
    ///
    /// Reading never fails, as with a fault: see ``ManagedObject/faultError``.
    public subscript(position: Int) -> Object {
        let batch = position / batchSize
        if held?.batch != batch {
            let ids = objectIDs[(batch * batchSize)..<Swift.min((batch + 1) * batchSize, objectIDs.count)]
            held = (batch, FaultLoading(context: context).loadBatchIfPossible(Array(ids)))
        }
        let object = held?.objects[position - batch * batchSize] ?? context.fault(for: objectIDs[position])
        guard let object = object as? Object else {
            preconditionFailure("the object at \(position) is no \(Object.self)")
        }
        return object
    }
}
