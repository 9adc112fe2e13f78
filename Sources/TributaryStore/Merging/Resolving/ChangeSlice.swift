import TributaryChanges

struct ChangeSlice {
    struct Operation {
        enum Action {
            case write(shape: Int)
            case delete
            case assign(column: Int, target: UniqueID?)
        }

        var table: Int
        var id: UniqueID
        var index: Int
        var action: Action
    }

    struct Link {
        var index: Int
        var link: Int
        var ownsPairs: Bool
    }

    struct Object: Hashable {
        var table: Int
        var id: UniqueID
    }

    var changes: [Change]
    let lines: [Change]
    private let first: Int
    /// For each change, the position under which it was deferred; nil for changes from a log or baseline.
    private let positions: [Int]?
    var operations: [Operation] = []
    var links: [Link] = []

    init(changes: [Change], first: Int, positions: [Int]? = nil) {
        self.changes = changes
        lines = changes
        self.first = first
        self.positions = positions
        operations.reserveCapacity(changes.count)
    }

    func position(_ index: Int, _ cursor: TransactionCursor) -> Int {
        positions?[index] ?? cursor.position(first + index)
    }

    mutating func assign(_ target: UniqueID?, to column: StoreModel.ColumnIndex, of id: UniqueID, index: Int) {
        let action = Operation.Action.assign(column: column.column, target: target)
        operations.append(Operation(table: column.table, id: id, index: index, action: action))
    }

    /// A stable sort: the operations on one object keep their order.
    mutating func sort() {
        guard !isSorted else { return }
        operations = operations.indices.sorted { left, right in
            let (first, second) = (operations[left], operations[right])
            if first.table != second.table { return first.table < second.table }
            if first.id != second.id { return first.id < second.id }
            return left < right
        }.map { operations[$0] }
    }

    private var isSorted: Bool {
        zip(operations, operations.dropFirst()).allSatisfy { first, second in
            first.table != second.table ? first.table < second.table : first.id <= second.id
        }
    }
}

struct RegisterWrite {
    var column: Int
    var value: PropertyValue
}
