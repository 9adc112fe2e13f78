import Glibc
import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Saves wait for the write lock of an import, which must not be kept from running by programs that are as important.
@MainActor
struct ImportPriorityTests {
    private nonisolated static var niceness: Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    }

    @Test func anImportRunsWithThePriorityOfASave() async throws {
        let container = try await MergingFixture().container
        let ofImport = try await container.importTransactions { transaction in
            let header = TransactionHeader(sequence: 1, clock: HybridClock(rawValue: 1 << 16), changeCount: 0)
            let writer = UniqueID(high: 7, low: 1 << 63)
            try transaction.beginImport(writer: writer, header: header)
            return (ImportPriorityTests.niceness, [try transaction.endImport()])
        }
        let ofSave = await container.newBackgroundContext().perform { _ in ImportPriorityTests.niceness }
        #expect(ofImport == ofSave)
    }
}
