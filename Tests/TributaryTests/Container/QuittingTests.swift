import Foundation
import TestSupport
import Testing
import Tributary

/// The end of the program does not lose what was accepted; each in a process of its own.
struct QuittingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("quitting") }

    private func stored() async throws -> Int {
        let container = try await Company.open(folder)
        let count = try await container.performBackgroundTask { try $0.count(for: FetchRequest("Employee")) }
        try await container.close()
        return count
    }

    /// The exit waits as long as a busy machine may need.
    static var patient: MergeOptions {
        var options = MergeOptions.fixture
        options.shutdownTimeout = .seconds(600)
        return options
    }

    static func leave() { exit(0) }

    @Test func savesThatWereEnqueuedAreInTheStoreAfterTheExit() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let container = try await Company.open(at: path, merging: QuittingTests.patient)
            let background = container.newBackgroundContext()
            for number in 0..<100 {
                background.enqueue { _ = try? $0.hireAndSave("\(number)") }
            }
            QuittingTests.leave()
        }
        #expect(try await stored() == 100)
    }

    @Test func aBackgroundTaskOfTheMainActorIsWaitedFor() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            let container = try await Company.open(at: path, merging: QuittingTests.patient)
            let begun = DispatchSemaphore(value: 0)
            Task { @MainActor in
                try await container.save { context in
                    begun.signal()
                    for number in 0..<2_000 { try context.hire("\(number)") }
                }
            }
            try await onThread { begun.wait() }
            // The main actor does not go on after this, and need not.
            await MainActor.run { QuittingTests.leave() }
        }
        #expect(try await stored() == 2_000)
    }

    @Test func theExitWaitsNoLongerThanItsTimeout() async throws {
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            var options = MergeOptions.fixture
            options.shutdownTimeout = .milliseconds(200)
            let container = try await Company.open(at: path, merging: options)
            // A body that never ends.
            container.newBackgroundContext().enqueue { _ in DispatchSemaphore(value: 0).wait() }
            QuittingTests.leave()
        }
        #expect(try await stored() == 0)
    }

    @Test func closingWaitsForZeroAndForTheLastMerge() async throws {
        let container = try await Company.open(folder)
        var updates = container.storeUpdates().makeAsyncIterator()
        let isCounted = DispatchSemaphore(value: 0)
        for number in 0..<20 {
            container.enqueueBackgroundTask { context in
                if number == 0 { isCounted.wait() }
                _ = try? context.hireAndSave("\(number)")
            }
        }
        #expect(container.pendingSaves > 0)
        isCounted.signal()
        try await container.close()
        #expect(container.pendingSaves == 0)
        var isTold = false
        while let update = await updates.next() { isTold = isTold || !update.changes.isEmpty }
        #expect(isTold)
        #expect(try await stored() == 20)
    }
}
