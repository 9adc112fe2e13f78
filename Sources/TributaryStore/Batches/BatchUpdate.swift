import TributaryChanges
import TributaryModel

extension BatchWriter {
    package func update(
        _ query: FetchQuery,
        setting expressions: [String: BatchExpression],
        terms: BatchTerms
    ) throws -> BatchWriteResult {
        let layout = reader.context.layout
        let properties = try BatchProperties(query.entity.name, layout: layout, allowsAbstract: true)
        var assignments: [(propertyIndex: Int, expression: BatchExpression)] = []
        for (name, expression) in expressions {
            let propertyIndex = try properties.propertyIndex(name, row: nil)
            try check(expression, propertyIndex: propertyIndex, properties)
            assignments.append((propertyIndex, expression))
        }
        assignments.sort { $0.propertyIndex < $1.propertyIndex }
        return try commit(terms) { slices in
            // All objects are found before the first change, so no change moves an object into or out of the query.
            for id in try reader.ids(query).map(\.uniqueID).sorted() {
                guard let row = try reader.row(id, rootEntity: query.entity.root) else { continue }
                var writes: [PropertyWrite] = []
                for (propertyIndex, expression) in assignments {
                    // Sub-entities have the property indexes of their parent entity.
                    var old = row.values[propertyIndex]
                    var new: PropertyValue
                    if case .increment(let amount) = expression, properties.isCounter(propertyIndex) {
                        // A counter takes every increment, whatever the sum is.
                        (old, new) = (.null, amount)
                    } else {
                        new = try value(expression, row, propertyIndex, properties)
                        new = try properties.check(new, propertyIndex: propertyIndex, row: nil)
                    }
                    if let write = properties.updateWrite(from: old, to: new, propertyIndex: propertyIndex) {
                        writes.append(write)
                    }
                }
                guard !writes.isEmpty else { continue }
                slices.count(row.id)
                try slices.append(Change(entity: row.entity.name, id: id, operation: .update(writes)))
            }
        } verify: { number in
            try checkReferences(assignments.map(\.propertyIndex), properties, revision: number)
        }
    }

    private func check(_ expression: BatchExpression, propertyIndex: Int, _ properties: BatchProperties) throws {
        let property = properties.entity.entity.properties[propertyIndex]
        switch expression {
        case .value(let value): _ = try properties.check(value, propertyIndex: propertyIndex, row: nil)
        case .increment(let amount):
            guard let attribute = property.attribute,
                attribute.type.isInteger || attribute.type == .double || attribute.type == .float
            else {
                throw BatchError.unwritable(
                    row: nil,
                    entity: properties.name,
                    property: property.name,
                    reason: "only an integer, a Double or a Float can be incremented"
                )
            }
            guard attribute.valueType.holds(amount), !amount.isNull else {
                throw BatchError.wrongType(
                    row: nil,
                    entity: properties.name,
                    property: property.name,
                    expected: attribute.expectation(refusing: amount),
                    found: amount
                )
            }
        case .copy(let name):
            guard properties.entity.entity.property(named: name)?.attribute?.isStored == true else {
                throw BatchError.unknownProperty(row: nil, entity: properties.name, property: name)
            }
        }
    }

    private func value(
        _ expression: BatchExpression,
        _ row: Row,
        _ propertyIndex: Int,
        _ properties: BatchProperties
    ) throws -> PropertyValue {
        switch expression {
        case .value(let value): value
        case .copy(let name): properties.entity.entity.propertyIndex(named: name).map { row.values[$0] } ?? .null
        case .increment(let amount):
            switch (row.values[propertyIndex], amount) {
            case (.integer(let old), .integer(let more)): .integer(try sum(old, more, propertyIndex, properties))
            case (.double(let old), .double(let more)): .double(old + more)
            default: amount
            }
        }
    }

    private func sum(_ old: Int64, _ more: Int64, _ propertyIndex: Int, _ properties: BatchProperties) throws -> Int64 {
        let (sum, overflow) = old.addingReportingOverflow(more)
        guard overflow else { return sum }
        throw BatchError.wrongType(
            row: nil,
            entity: properties.name,
            property: properties.entity.entity.properties[propertyIndex].name,
            expected: "an amount that \(old) can grow by in 64 bits",
            found: .integer(more)
        )
    }
}
