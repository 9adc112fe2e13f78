/// Steps that are taken back together.
struct UndoGroup {
    var name = ""
    var records: [UndoRecord] = []

    /// Adds a step; a value that is set again and again keeps what it was at first.
    mutating func add(_ record: UndoRecord) {
        if case .value(let object, let slot, _) = record, case .value(let last, slot, _)? = records.last,
            last === object
        {
            return
        }
        records.append(record)
    }
}
