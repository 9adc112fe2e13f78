import Dispatch
import Foundation
import TestSupport
import Testing
import Tributary

#if DEBUG
    /// Clients that the compiler does not check carry objects away; a debug build stops them and says what was used.
    struct ConfinementTests {
        @Test func readingAnObjectOffItsQueueStopsTheProgram() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let background = container.newBackgroundContext(name: "import")
                await background.perform { context in
                    // Stands for a client whose compiler does not look.
                    nonisolated(unsafe) let leaked = try? context.insert(Employee.self)
                    Thread.detachNewThread { print(leaked?.name ?? "") }
                    DispatchSemaphore(value: 0).wait()
                }
            }
            result.expectErrors("Employee.name was used off the queue of the context 'import'")
        }

        @Test func writingAnObjectAfterItsPerformStopsTheProgram() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let background = container.newBackgroundContext()
                let box = LeakyBox()
                await background.perform { context in box.object = try? context.insert(Employee.self) }
                (box.object as? Employee)?.salary = 1
            }
            result.expectErrors("Employee.salary was used off the queue of the context 'background'")
        }

        @Test func usingTheViewContextOffTheMainActorStopsTheProgram() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let box = LeakyBox()
                await MainActor.run { box.context = container.viewContext }
                Thread.detachNewThread { print(box.context?.hasChanges ?? false) }
                await MainActor.run { _ = DispatchSemaphore(value: 0).wait(timeout: .distantFuture) }
            }
            result.expectErrors(
                "Tributary: hasChanges was used off the main actor, on a thread",
                "it belongs to the view context. Use it in `await MainActor.run"
            )
        }

        @Test func anObjectOfTheViewContextInABackgroundBodyStopsTheProgram() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let box = LeakyBox()
                try await MainActor.run { box.object = try container.viewContext.insert(Employee.self) }
                let background = container.newBackgroundContext(name: "import")
                await background.perform { _ in (box.object as? Employee)?.salary = 1 }
            }
            result.expectErrors("Employee.salary was used off the main actor, on the queue of the context 'import'")
        }

        @Test func aBlockThatTheMainActorHasAnotherQueueRunIsNotStopped() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                // Two jobs, so that one of them is not at the start of the program.
                for _ in 0..<2 {
                    await MainActor.run {
                        let context = container.viewContext
                        DispatchQueue(label: "locking").sync { _ = context.hasChanges }
                    }
                    await Task.yield()
                }
                // A save looks for objects in use on the queue of the writer.
                try await MainActor.run {
                    let context = container.viewContext
                    for _ in 0..<2 {
                        try context.hire("Ann").department = try context.insert(Department.self)
                    }
                    try context.save()
                }
                try await container.close()
            }
            let text = result.errors
            #expect(!text.contains("Tributary:"), "\(text)")
        }

        @Test func aBlockThatTheMainQueueHasAnotherQueueRunIsNotStopped() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let box = LeakyBox()
                await MainActor.run { box.context = container.viewContext }
                await Task.yield()
                await withCheckedContinuation { continuation in
                    // No job of the main actor: Swift asks Dispatch.
                    DispatchQueue.main.async {
                        DispatchQueue(label: "locking").sync { _ = box.context?.hasChanges }
                        continuation.resume()
                    }
                }
                box.context = nil
                try await container.close()
            }
            let text = result.errors
            #expect(!text.contains("Tributary:"), "\(text)")
        }

        @Test func misuseAfterAFalseAlarmIsStillFound() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let box = LeakyBox()
                await MainActor.run {
                    box.context = container.viewContext
                    DispatchQueue(label: "locking").sync { _ = box.context?.hasChanges }
                }
                await Task.yield()
                await MainActor.run { DispatchQueue(label: "locking").sync { _ = box.context?.hasChanges } }
                DispatchQueue(label: "other").async { _ = box.context?.insertedObjects }
                await MainActor.run { _ = DispatchSemaphore(value: 0).wait(timeout: .distantFuture) }
            }
            let text = result.errors
            #expect(text.components(separatedBy: "Tributary:").count == 2, "\(text)")
            #expect(text.contains("Tributary: insertedObjects was used off the main actor"), "\(text)")
        }

        @Test func aContextOffItsQueueStopsTheProgramAtEachEntry() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let box = LeakyBox()
                await container.newBackgroundContext(name: "late").perform { box.context = $0 }
                try box.context?.save()
            }
            result.expectErrors("save() was used off the queue of the context 'late'")
        }

        @Test func accessOnTheContextsQueueIsNotStopped() async throws {
            let container = try await Company.openInMemory()
            let background = container.newBackgroundContext()
            let names = try await background.perform { context in
                try context.hireAndSave("Ann")
                return try context.fetch(Employee.self).map(\.name)
            }
            #expect(names == ["Ann"])
            let count = try await onThread { background.performAndWait { $0.registeredObjects.count } }
            #expect(count == 0)
        }
    }
#endif

/// Carries an object or a context where the compiler would not let it go.
///
/// `@unchecked Sendable`: it is the very mistake that the debug build must find.
final class LeakyBox: @unchecked Sendable {
    var object: ManagedObject?
    var context: ManagedObjectContext?
}

extension ExitTest.Result? {
    /// What the process has printed as errors.
    var errors: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }

    /// Expects each of these texts in what the process has printed as errors.
    func expectErrors(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        for text in texts { #expect(errors.contains(text), "\(errors)", sourceLocation: sourceLocation) }
    }
}
