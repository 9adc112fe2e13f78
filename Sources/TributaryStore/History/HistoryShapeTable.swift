package import GRDB
import TributaryChanges

/// The names of entities and properties in history, which are kept in `tributary_shape`.
package struct HistoryShapeTable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Renames entities and properties in the history so far.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    package func rename(_ rename: (String, [String]) -> (entity: String, properties: [String])?) throws {
        let select = try BoundStatement(db, "SELECT key, entity, properties FROM tributary_shape")
        var shapes: [(key: [UInt8], entity: String, properties: [String])] = []
        try select.forEach { shapes.append(($0.bytes(0), $0.text(1), HistoryWriter.names($0.text(2)))) }
        let update = try BoundStatement(db, "UPDATE tributary_shape SET entity = ?2, properties = ?3 WHERE key = ?1")
        for shape in shapes {
            guard let renamed = rename(shape.entity, shape.properties) else { continue }
            update.bind(1, shape.key)
            update.bind(2, renamed.entity)
            update.bind(3, JSONValue.array(renamed.properties.sorted().map { .string($0) }).text)
            try update.run()
        }
    }
}
