package import TributaryChanges
import TributaryModel

extension Reader {
    /// The values of each result, in the order of the plan's columns.
    package func values(_ plan: DictionaryPlan) throws -> [[PropertyValue]] {
        let entity = plan.query.objects.entity
        guard let table = context.layout.table(rootEntity: entity.root) else {
            throw StoreError.invalidQuery(reason: "'\(entity.name)' is no entity of this store")
        }
        var compiler = DictionaryCompiler(plan, layout: context.layout, table: table)
        let sql = try compiler.select()
        let statement = try BoundStatement(database, query: sql)
        let readings = plan.columns.map { $0.type.map { ColumnLayout(of: $0) } }
        var results: [[PropertyValue]] = []
        try statement.forEach { row in
            var result: [PropertyValue] = []
            result.reserveCapacity(readings.count)
            for (index, column) in plan.columns.enumerated() {
                let position = Int32(index)
                if let reading = readings[index] {
                    result.append(column.typed(reading.value(in: row, at: position)))
                } else {
                    result.append(row.id(position).map(PropertyValue.reference) ?? .null)
                }
            }
            results.append(result)
        }
        return plan.having == nil ? results : plan.sliced(results)
    }
}

extension ColumnLayout {
    /// The reader for values of a type without a column of their own.
    fileprivate init(of type: AttributeType) {
        self.init(property: "", name: "", kind: .attribute(type, .latest), definition: "")
    }
}
