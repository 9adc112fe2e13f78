import Tributary

/// Fetching all objects, or only their IDs, beside a plain SELECT over the same rows.
struct Fetches {
    let path: String
    let objects: Int
    let runs: Int

    func measure(in context: ManagedObjectContext) throws -> [Figure] {
        var all = Figure("fetch of \(objects) objects, against the plain SELECT loop", unit: "times", .atLeast(0.5))
        var ids = Figure("fetch of \(objects) IDs, against the plain SELECT loop", unit: "times", .none)
        let plain = try PlainSelect(path: path)
        let request = FetchRequest("Employee")
        for _ in 0..<runs {
            context.reset()
            var fetched = 0
            let fetching = try ProcessorTime.seconds { fetched = try context.fetch(request, as: Employee.self).count }
            context.reset()
            let fetchingIDs = try ProcessorTime.seconds { fetched += try context.fetchIDs(request).count }
            var selected = 0
            let selecting = try ProcessorTime.seconds { selected = try plain.rows().count }
            let selectingIDs = try ProcessorTime.seconds { selected += try plain.ids().count }
            precondition(fetched == 2 * objects && selected == fetched, "\(fetched) fetched, \(selected) selected")
            all.add(selecting / fetching)
            ids.add(selectingIDs / fetchingIDs)
        }
        return [all, ids]
    }
}
