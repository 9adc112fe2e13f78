import Foundation
import TestSupport
import Testing
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import TributaryDaemon
@testable import TributarySync

/// The container as the replica of a sync: imports reach the main context, and saves reach the log folder.
@Suite(.timeLimit(.minutes(10))) struct EngineSyncTests {
    private let test: TestEngine
    private let writer = UniqueID(high: 0x0A00_0000_0000_4000, low: 1 << 63 | 1)

    init() throws { test = try TestEngine() }

    private func insertion(_ number: UInt64) -> Change {
        Change(
            entity: "Employee",
            id: UniqueID(high: 0x0B00_0000_0000_4000, low: 1 << 63 | number),
            operation: .insert([PropertyWrite(name: "name", value: .string("Ann"))])
        )
    }

    private func publish(_ changes: [Change]) throws {
        let header = TransactionHeader(sequence: 1, clock: HybridClock(milliseconds: 1), changeCount: changes.count)
        let segment = SegmentText(writer: writer, [LogTransaction(header: header, changes: changes)])
        let path = "\(test.logs)/\(segment.name.path)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(segment.bytes()).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    @Test func theMainContextShowsWhatASyncHasImported() async throws {
        let engine = try await test.open()
        let loops = Task { try await engine.sync.run() }
        await engine.sync.started()
        try publish([insertion(1), insertion(2)])
        let first = try await engine.sync.sync()
        // By whatever it was imported, nothing but the sync merges.
        #expect(first.merged.inserted == 2 && first.merged.updated == 0 && first.merged.deleted == 0)
        let shown = try await MainActor.run { try engine.container.viewContext.fetch(FetchRequest("Employee")).count }
        #expect(shown == 2)
        let again = try await engine.sync.sync()
        #expect(again.imported == ImportCounts() && again.merged.inserted == 0)
        let message = SyncMessage(again)
        #expect(message.token == engine.token.text && again.transaction == engine.container.shownTransaction)
        engine.sync.stop()
        try await loops.value
        try await engine.container.close()
    }

    @Test func aSaveOfAContextIsExportedWithoutBeingAskedFor() async throws {
        let engine = try await test.open()
        let loops = Task { try await engine.sync.run() }
        await engine.sync.started()
        let context = engine.container.newBackgroundContext(name: "till")
        try await context.perform { context in
            try context.insert(entity: "Employee").setValue(.string("Ann"), forKey: "name")
            try context.save()
        }
        while engine.sync.activity.meters.exported.transactions == 0 { await Task.yield() }
        let folder = try FileManager.default.contentsOfDirectory(atPath: "\(test.logs)/\(engine.writer)")
        #expect(folder.filter { $0.hasSuffix(".tlog") }.count == 1)
        engine.sync.stop()
        try await loops.value
        try await engine.container.close()
    }
}
