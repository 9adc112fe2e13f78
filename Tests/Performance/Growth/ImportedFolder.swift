import BenchmarkImport
import Foundation
import TestSupport
import TransactionLog
import Tributary
import TributarySync

/// A log folder and the store that it is imported into.
struct ImportedFolder: Sendable {
    private let folder: TemporaryFolder
    private let imported: DaemonImport

    var logs: String { imported.logs }
    var store: String { imported.store }

    init() throws {
        folder = try TemporaryFolder.inMemory("growth")
        imported = DaemonImport(
            store: folder.path("store.sqlite"),
            logs: folder.path("logs"),
            name: "growth",
            model: try Works.model()
        )
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    }

    func publish(_ text: SegmentText) throws {
        try folder.write(String(decoding: text.bytes(), as: UTF8.self), to: "logs/\(text.name.path)")
    }

    func importAll() async throws { try await imported.run() }

    /// Imports everything in the folder, then calls `body` with the running service.
    func importAll<T: Sendable>(then body: (SyncService) async throws -> T) async throws -> T {
        try await imported.run(then: body)
    }
}

/// An employee of a works.
final class Worker: ManagedObject {
    override class var entityName: String { "Worker" }
    static let name = Field<String?>("name")
    static let code = Field<String?>("code")
    static let employer = ToOne<Works>("employer")

    var name: String? {
        get { self[Worker.name] }
        set { self[Worker.name] = newValue }
    }
    var code: String? {
        get { self[Worker.code] }
        set { self[Worker.code] = newValue }
    }
    var employer: Works? {
        get { self[Worker.employer] }
        set { self[Worker.employer] = newValue }
    }
}
