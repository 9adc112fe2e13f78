import GRDB
import TributaryChanges

package struct ExternalValueReader {
    let reader: Reader

    package func forEach(_ body: (_ sha256: String, _ size: Int64) throws -> Void) throws {
        for table in reader.context.layout.tables {
            for column in table.columns where column.isExternal {
                try BoundStatement(
                    reader.database,
                    """
                    SELECT DISTINCT \(column.quotedName) FROM \(table.quotedName)
                    WHERE typeof(\(column.quotedName)) = 'text'
                    """
                ).forEach { try hand(over: column.value(in: $0, at: 0), to: body) }
            }
            guard table.columns.contains(where: \.isExternal) else { continue }
            try BoundStatement(
                reader.database,
                "SELECT registers FROM tributary_object WHERE root = \(value: table.code) AND registers IS NOT NULL"
            ).forEach { row in
                let object = row.withBytes(0) { PartialRow(deleted: nil, packed: $0) }
                for (column, register) in object.registers
                where table.columns.indices.contains(column) && table.columns[column].isExternal {
                    try hand(over: register.value, to: body)
                }
            }
        }
    }

    /// A binary may appear several times.
    package func forEachBlobOfBaseline(_ body: (_ sha256: String, _ size: Int64) throws -> Void) throws {
        try forEach { sha256, size in
            if size > BlobFolder.threshold { try body(sha256, size) }
        }
    }

    package func read(_ sha256: String, size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let blobs = reader.context.blobs else {
            throw StoreError.blob(path: sha256, reason: "a store in memory keeps no binaries beside it")
        }
        try blobs.read(sha256: sha256, size: size, take)
    }

    private func hand(over value: PropertyValue, to body: (String, Int64) throws -> Void) throws {
        guard case .blob(let sha256, let size) = value, size <= ExternalValues.largestBlob else { return }
        try body(sha256, size)
    }
}

package struct ExternalValueFault: Sendable, Hashable {
    package var sha256: String
    package var size: Int64
    package var reason: String
}

extension ExternalValueReader {
    /// Reads the file of each large binary that a row names.
    package func faults(limit: Int, progress: (Int64) throws -> Void) throws -> [ExternalValueFault] {
        guard let folder = reader.context.blobs else { return [] }
        var faults: [ExternalValueFault] = []
        var count: Int64 = 0
        try forEach { sha256, size in
            count += 1
            try progress(count)
            guard faults.count < limit else { return }
            do {
                try folder.read(sha256: sha256, size: size) { _ in }
            } catch let error as StoreError {
                faults.append(ExternalValueFault(sha256: sha256, size: size, reason: "\(error)"))
            }
        }
        return faults
    }
}
