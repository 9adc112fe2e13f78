import TributaryChanges

/// The shapes of the changes that a write transaction applies, each known by its index.
struct ChangeShapes {
    private struct Key: Hashable {
        var entity: Int
        var isInsert: Bool
        var names: [String]

        static func == (left: Key, right: Key) -> Bool {
            left.entity == right.entity && left.isInsert == right.isInsert
                && left.names.isIdentical(to: right.names)
        }
    }

    private var all: [ChangeShape] = []
    private var indexes: [Key: Int] = [:]
    /// Most changes have the shape of the one before.
    private var last = 0

    subscript(index: Int) -> ChangeShape { all[index] }

    mutating func index(of writes: [PropertyWrite], isInsert: Bool, entity: Int, layout: StoreModel) -> Int {
        if last < all.count, all[last].matches(writes, isInsert: isInsert, entity: entity) { return last }
        return index(Key(entity: entity, isInsert: isInsert, names: writes.map(\.name)), layout)
    }

    mutating func index(of run: RowRun, entity: Int, layout: StoreModel) -> Int {
        if last < all.count, all[last].entity == entity, all[last].isInsert == run.isInsert,
            all[last].names.isIdentical(to: run.names)
        {
            return last
        }
        return index(Key(entity: entity, isInsert: run.isInsert, names: run.names), layout)
    }

    private mutating func index(_ key: Key, _ layout: StoreModel) -> Int {
        last = indexes[key] ?? all.count
        if last == all.count {
            all.append(ChangeShape(key.names, isInsert: key.isInsert, entityIndex: key.entity, layout: layout))
            indexes[key] = last
        }
        return last
    }
}
