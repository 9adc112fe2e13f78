/// A large binary beside the store that a row names and whose file is missing or damaged.
package struct ExternalValueFault: Sendable, Hashable {
    package var sha256: String
    package var size: Int64
    package var reason: String
}

extension ExternalValueReader {
    /// Reads the file of each large binary that a row names.
    ///
    /// - Returns: The binaries whose files are missing or damaged.
    /// - Throws: What `progress` throws, and ``StoreError``.
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
