import TributaryChanges

/// The shapes of the changes that a write transaction merges, identified by index.
final class ChangeShapes {
    private struct Key: Hashable {
        var entity: Int
        var isInsert: Bool
        var names: [String]

        static func == (left: Key, right: Key) -> Bool {
            left.entity == right.entity && left.isInsert == right.isInsert
                && left.names.isIdentical(to: right.names)
        }
    }

    private let layout: StoreModel
    @exclusivity(unchecked) private var all: [ChangeShape] = []
    @exclusivity(unchecked) private var indexes: [Key: Int] = [:]
    /// Most changes have the shape of the preceding change.
    @exclusivity(unchecked) private var last = 0

    init(_ layout: StoreModel) {
        self.layout = layout
    }

    subscript(index: Int) -> ChangeShape { all[index] }

    func index(of writes: [PropertyWrite], isInsert: Bool, entity: Int) -> Int {
        if last < all.count, all[last].matches(writes, isInsert: isInsert, entity: entity) { return last }
        return index(Key(entity: entity, isInsert: isInsert, names: writes.map(\.name)))
    }

    func index(of run: RowRun, entity: Int) -> Int {
        if last < all.count, all[last].entity == entity, all[last].isInsert == run.isInsert,
            all[last].names.isIdentical(to: run.names)
        {
            return last
        }
        return index(Key(entity: entity, isInsert: run.isInsert, names: run.names))
    }

    private func index(_ key: Key) -> Int {
        last = indexes[key] ?? all.count
        if last == all.count {
            all.append(ChangeShape(key.names, isInsert: key.isInsert, entityIndex: key.entity, layout: layout))
            indexes[key] = last
        }
        return last
    }
}
