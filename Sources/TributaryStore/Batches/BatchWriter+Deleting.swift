package import TributaryChanges
import TributaryModel

extension BatchWriter {
    /// Deletes the objects that match the query, following the delete rules.
    ///
    /// - Throws: ``BatchError`` `denied` when a Deny rule forbids a deletion; nothing is written then.
    package func delete(_ query: FetchQuery, terms: BatchTerms) throws -> BatchWriteResult {
        try delete(terms: terms) { deletion in
            for id in try reader.ids(query) { try deletion.add(id) }
        }
    }

    /// Deletes those of the given objects that exist, following the delete rules.
    ///
    /// - Throws: ``BatchError`` `denied` when a Deny rule forbids a deletion; nothing is written then.
    package func delete(_ ids: [ManagedObjectID], terms: BatchTerms) throws -> BatchWriteResult {
        try delete(terms: terms) { deletion in
            for id in ids {
                if let row = try reader.row(id.uniqueID, rootEntity: id.rootEntity) { try deletion.add(row.id) }
            }
        }
    }

    private func delete(terms: BatchTerms, _ fill: (BatchDeletion) throws -> Void) throws -> BatchWriteResult {
        let deletion = try BatchDeletion(reader: reader)
        try fill(deletion)
        try deletion.followRules()
        var count = 0
        var ids: [ManagedObjectID] = []
        let committed = try commitSlices(terms) { apply in
            var slice: [Change] = []
            func add(_ change: Change) throws {
                slice.append(change)
                guard slice.count >= BatchWriter.sliceSize else { return }
                try apply(slice)
                slice.removeAll(keepingCapacity: true)
            }
            // The batch has found all references before it changes anything; pairs go with their objects.
            try deletion.forEachObject { id in
                count += 1
                if terms.listsIDs { ids.append(id) }
                try add(Change(entity: id.entity, id: id.uniqueID, operation: .delete))
            }
            try deletion.forEachRelease(add)
            try apply(slice)
        }
        try deletion.clear()
        return BatchWriteResult(committed: committed, count: count, ids: ids)
    }
}
