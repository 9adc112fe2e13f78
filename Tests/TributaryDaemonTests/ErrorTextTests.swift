import Foundation
import Logging
import TestSupport
import Testing
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel

@testable import TributaryDaemon
@testable import TributaryStore
@testable import TributarySync

/// Every error has a sentence for people instead of the dump of a Swift value.
@Suite struct ErrorTextTests {
    private static let id = ManagedObjectID(
        store: "s",
        entity: "Employee",
        rootEntity: "Employee",
        uniqueID: .version7(at: 1, random: (1, 2))
    )
    private static let writer = UniqueID.version7(at: 1, random: (3, 4))
    private static let segment = SegmentName(writer: writer, first: 1, last: 2)

    private static let errors: [any Error] = [
        StoreError.cannotOpen(path: "/p", reason: "r"), StoreError.otherFormat(path: "/p", reason: "r"),
        StoreError.cannotMigrate(path: "/p", reason: "r"), StoreError.database(code: 13, message: "full"),
        StoreError.database(code: 11, message: "malformed"), StoreError.duplicateID(id),
        StoreError.sharesKey(SharedKey(object: id, other: id, entity: "E", properties: ["p"], values: [.null])),
        StoreError.invalidChange(index: 1, reason: "r"), StoreError.invalidQuery(reason: "r"),
        StoreError.timedOut(after: .seconds(10)), StoreError.closed, StoreError.blob(path: "/p", reason: "r"),
        StoreError.outOfSequence(writer: writer, sequence: 3, expected: 2),
        MigrationError.interrupted(from: "1", to: "2"),
        StoreError.nestedTransaction(holder: "a context"), StoreError.deadlock(cycle: "a waits for b"),
        ExportFailure.clockAhead(by: .milliseconds(5_000)), ExportFailure.cannotSync(path: "/p", code: 28),
        ExportFailure.nameTaken(file: "/p", reason: "r."), RestampError.unproven(writer: writer),
        SyncError.notRunning, SyncError.paused(since: 1), SyncError.noSuchSegment(segment),
        SyncError.notHeld(segment, state: .waiting), SegmentError(.rejected, file: "f", line: 3, reason: "r"),
        SegmentError(.inputOutput(28), file: "f", reason: "no room"),
        SegmentFailure(name: segment, error: SegmentError(.changed, file: "f", reason: "r")),
        ContextError.notFound(id), ContextError.store(reason: "r"), ContextError.locked(reason: "r"),
        ContextError.unsettled(rounds: 3),
        ContextError.wrongType(entity: "E", property: "p", expected: "a date", found: "a string"),
        ContextError.unreadable(id, reason: "r"), CancellationError(), Unnamed.case(label: 5),
    ]

    private enum Unnamed: Error { case `case`(label: Int) }

    @Test(arguments: errors.indices)
    func neitherAnswerNorStatusShowsADump(_ index: Int) {
        let error = Self.errors[index]
        let problem = ProblemMapping.problem(of: error, logger: Logger(label: "test"), path: "/")
        for text in [problem.detail ?? "", problem.hint ?? "", ErrorText.text(of: error)] {
            #expect(text.firstMatch(of: #/\w\(\w+: |\w+\.\w+\(/#) == nil, "\(text)")
        }
        #expect(problem.detail?.isEmpty == false)
    }

    /// Also that of a store that was copied without its write-ahead log.
    @Test(arguments: [11, 26] as [Int32]) func aDamagedStoreNamesTheWaysOut(code: Int32) {
        let failure = StartFailure(StoreError.database(code: code, message: "malformed"), store: "/s.sqlite")
        #expect(failure.status == .inputOutput)
        #expect(failure.reason.contains("STORE-wal"))
        #expect(failure.reason.hasSuffix("tributaryctl restore --from-logs --store /s.sqlite"))
    }

    @Test func aFullDiskIsCalledSo() {
        #expect(ErrorText.text(of: StoreError.database(code: 13, message: "x")).contains("disk of the store is full"))
    }
}
