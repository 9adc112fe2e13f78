package import TributaryChanges
import TributaryModel

package struct BatchWriter {
    let transaction: WriteTransaction

    var reader: Reader { transaction.reader }

    /// Writes a batch as a single transaction; writes nothing if `block` or `verify` throws.
    func commit(
        _ terms: BatchTerms,
        _ block: (BatchSlices) throws -> Void,
        verify: (_ number: Int64) throws -> Void = { _ in }
    ) throws -> BatchWriteResult {
        do {
            return try transaction.inSavepoint {
                let slices = BatchSlices(transaction, terms)
                try block(slices)
                return try slices.finish(verify)
            }
        } catch StoreError.sharesKey(let key) {
            throw BatchError.constraint(row: nil, properties: key.properties, existing: key.other)
        }
    }
}

extension BatchWriter {
    /// Throws if a mandatory relationship of a written object has no object; O(n) for n references without their object.
    func checkReferences(
        _ propertyIndexes: some Sequence<Int>,
        _ properties: BatchProperties,
        revision number: Int64
    ) throws {
        for propertyIndex in propertyIndexes {
            guard let relationship = properties.entity.entity.properties[propertyIndex].relationship,
                !relationship.isOptional, case .column(let column) = properties.entity.places[propertyIndex]
            else { continue }
            let statement = try BoundStatement(
                reader.database,
                """
                SELECT r.id, r.target FROM tributary_reference r CROSS JOIN \(properties.table.quotedName) o ON o._id = r.id
                WHERE r.root = ?1 AND r.place = ?2 AND o._revision = ?3
                    AND o.\(properties.table.columns[column].quotedName) IS NULL LIMIT 1
                """
            )
            statement.bindAll(properties.table.code, column, number)
            let found = try statement.first { row in row.id(0).flatMap { id in row.id(1).map { (id, $0) } } } ?? nil
            if let (id, target) = found, let destination = properties.layout.entity(named: relationship.destination) {
                throw BatchError.noTarget(
                    properties.layout.objectID(id, of: properties.entity),
                    property: relationship.name,
                    target: properties.layout.objectID(target, of: destination)
                )
            }
        }
    }
}

final class BatchSlices {
    private static let size = 20_000

    private let transaction: WriteTransaction
    private let terms: BatchTerms
    private var joined: JoinedTransaction?
    private var changes: [Change] = []
    private var result = BatchWriteResult(committed: nil, count: 0, ids: [])

    init(_ transaction: WriteTransaction, _ terms: BatchTerms) {
        self.transaction = transaction
        self.terms = terms
    }

    var isEmpty: Bool { changes.isEmpty }

    func append(_ change: Change) throws {
        changes.append(change)
        if changes.count >= BatchSlices.size { try flush() }
    }

    func count(_ id: ManagedObjectID) {
        result.count += 1
        if terms.listsIDs { result.ids.append(id) }
    }

    func flush() throws {
        guard !changes.isEmpty else { return }
        let local = LocalChanges(reader: transaction.reader)
        let explicit = try local.explicit(changes)
        try terms.deriving?.willApply(explicit, transaction.reader)
        try merge(explicit)
        changes.removeAll(keepingCapacity: true)
        let derived = try terms.deriving?.didApply(explicit, transaction.reader) ?? []
        if !derived.isEmpty { try merge(local.derived(derived)) }
    }

    private func merge(_ changes: [Change]) throws {
        let joined =
            try self.joined
            ?? JoinedTransaction(transaction, author: terms.author, contextName: terms.contextName)
        self.joined = joined
        try joined.merge(changes)
    }

    func finish(_ verify: (_ number: Int64) throws -> Void) throws -> BatchWriteResult {
        try flush()
        guard let joined else { return result }
        try terms.deriving?.finish(transaction.reader, slice: BatchSlices.size) {
            try merge(LocalChanges(reader: transaction.reader).derived($0))
        }
        try verify(joined.number)
        result.committed = try joined.finish()
        return result
    }
}

package struct BatchTerms {
    package enum Collision: Sendable {
        case refuse
        case update
        case replace
        case skip
    }

    package var author: String?
    package var contextName: String?
    package var collision: Collision
    package var listsIDs: Bool
    package var deriving: (any BatchDeriving)?

    package init(
        author: String?,
        contextName: String?,
        collision: Collision,
        listsIDs: Bool,
        deriving: (any BatchDeriving)? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.collision = collision
        self.listsIDs = listsIDs
        self.deriving = deriving
    }
}

package enum BatchExpression: Sendable, Hashable {
    case value(PropertyValue)
    case increment(PropertyValue)
    case copy(of: String)
}

package struct BatchWriteResult: Sendable {
    package var committed: CommittedTransaction?
    package var count: Int
    package var ids: [ManagedObjectID]

    package init(committed: CommittedTransaction?, count: Int, ids: [ManagedObjectID]) {
        self.committed = committed
        self.count = count
        self.ids = ids
    }
}

/// Computes derived attributes for a batch, which writes in slices and creates no managed objects.
package protocol BatchDeriving: AnyObject {
    func willApply(_ changes: [Change], _ reader: Reader) throws

    func didApply(_ changes: [Change], _ reader: Reader) throws -> [Change]

    /// Hands over the derived attributes of other objects, after all slices were applied.
    func finish(_ reader: Reader, slice: Int, _ take: ([Change]) throws -> Void) throws
}
