import Tributary

/// Fetching all objects, or only their IDs, beside a plain SELECT over the same rows.
struct Fetches {
    let path: String
    let objects: Int
    let runs: Int

    func measure(in context: ManagedObjectContext) throws -> [Figure] {
        var all = Figure("fetch of \(objects) objects: plain SELECT's time by it", unit: "times", .atLeast(0.5))
        var ids = Figure("fetch of \(objects) IDs: plain SELECT's time by it", unit: "times", .none)
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
            all.remark = remark(selecting, fetching)
            ids.remark = remark(selectingIDs, fetchingIDs)
        }
        return [all, ids]
    }

    private func remark(_ plain: Double, _ fetching: Double) -> String {
        let each = [plain, fetching].map { Figure.rounded($0 * 1_000_000_000 / Double(objects)) }
        return "last: \(each[0]) ns a row, \(each[1]) ns fetched"
    }
}
