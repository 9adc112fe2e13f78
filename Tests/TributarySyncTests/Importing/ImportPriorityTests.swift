import Dispatch
import Glibc
import Testing

@testable import TributarySync

/// What the threads of an import leave to those that answer.
@Suite struct ImportPriorityTests {
    /// The priority of the thread that runs `queue`, before and after a step of an import on it.
    private func priorities(on queue: DispatchQueue) async -> (before: Int32, after: Int32) {
        await withCheckedContinuation { continuation in
            queue.async {
                let process = __priority_which_t(PRIO_PROCESS.rawValue)
                let before = getpriority(process, 0)
                ImportControl().step()
                continuation.resume(returning: (before, getpriority(process, 0)))
            }
        }
    }

    @Test func threadOfTheImportTakesTheLowestPriority() async {
        let found = await priorities(on: DispatchQueue(label: "import", qos: .background))
        #expect(found.after == 19)
    }

    @Test func threadOfTheUsualPriorityKeepsIt() async {
        let found = await priorities(on: DispatchQueue(label: "answer", qos: .default))
        // All threads of a program that was started at a low priority have it.
        #expect(found.after == found.before || found.before >= 10)
    }
}
