import Tributary

/// Merging what others have saved into a context with a thousand objects.
struct Merges {
    let runs: Int
    private static let registered = 1_000
    private static let many = 1_000_000

    func measure(in context: ManagedObjectContext) throws -> [Figure] {
        context.reset()
        var request = FetchRequest("Employee")
        request.fetchLimit = Merges.registered
        let employees = try context.fetch(request, as: Employee.self)
        var few = ObjectChanges()
        for employee in employees { few.update(employee.objectID) }
        var many = few
        guard let sample = employees.first?.objectID else { return [] }
        for number in 0..<Merges.many {
            let id = UniqueID(high: 0x0180_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number))
            many.update(
                ManagedObjectID(
                    store: sample.store,
                    entity: sample.entity,
                    rootEntity: sample.rootEntity,
                    uniqueID: id
                )
            )
        }
        var ratio = Figure(
            "merge of \(Merges.many) changes by one of \(Merges.registered)",
            unit: "times",
            .atMost(2)
        )
        var time = Figure("merge of \(Merges.registered) changes", unit: "µs", .none)
        for _ in 0..<runs {
            let short = ProcessorTime.seconds { merge(few, into: context, employees) }
            let long = ProcessorTime.seconds { merge(many, into: context, employees) }
            ratio.add(long / short)
            time.add(short * 1_000_000)
        }
        return [time, ratio]
    }

    /// Merges, and shows the objects as a window would do.
    private func merge(_ changes: ObjectChanges, into context: ManagedObjectContext, _ employees: [Employee]) {
        context.mergeChanges(changes)
        var sum = 0
        for employee in employees { sum &+= employee.badge }
        precondition(sum >= 0, "nothing was read")
    }
}
