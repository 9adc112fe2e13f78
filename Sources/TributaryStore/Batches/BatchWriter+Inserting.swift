package import TributaryChanges
import TributaryModel

extension BatchWriter {
    /// The key under which a row may carry its own ID, as `.uuid`.
    package static let batchID = "_id"

    /// Inserts objects from rows of values; `next` fills a row, or returns true when there are no more rows.
    ///
    /// - Throws: ``BatchError``; nothing is written then.
    package func insert(
        into entity: String,
        terms: BatchTerms,
        _ next: (inout [String: PropertyValue]) throws -> Bool
    ) throws -> BatchWriteResult {
        let properties = try BatchProperties(entity, layout: reader.context.layout, allowsAbstract: false)
        let keys = try BatchUniqueness(properties, reader: reader)
        let insertion = try BatchInsertion(properties: properties, keys: keys, terms: terms, reader: reader)
        let committed = try commitSlices(terms) { apply in
            var row = 0
            while true {
                var values: [String: PropertyValue] = [:]
                if try next(&values) { break }
                try insertion.add(values, row: row, apply)
                row += 1
            }
            try insertion.flush(apply)
        }
        return BatchWriteResult(committed: committed, count: insertion.count, ids: insertion.ids)
    }
}
