import Dispatch
import Foundation
import TestSupport
import Testing
import Tributary

/// Order, hand-over and waiting, nested in blocks of this and of another context as well.
struct BackgroundContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private final class Draft {
        var name = "Ann"
    }

    @Test func bodiesRunInTheOrderOfTheCalls() async throws {
        let background = container.newBackgroundContext()
        for number in 0..<200 {
            background.enqueue { context in
                (try? context.insert(Employee.self))?.name = "\(number)"
            }
        }
        let names = await background.perform { context in
            context.insertedObjects.compactMap { ($0 as? Employee)?.name }
        }
        #expect(names == (0..<200).map(String.init))
    }

    @Test func aValueCanBeHandedOver() async throws {
        let background = container.newBackgroundContext()
        let draft = Draft()
        let name = try await background.perform(with: draft) { context, draft in
            let employee = try context.hire(draft.name)
            return employee.name
        }
        #expect(name == "Ann")
        background.enqueue(with: Draft()) { context, draft in
            (try? context.insert(Employee.self))?.name = draft.name
        }
        #expect(await background.perform { $0.insertedObjects.count } == 2)
    }

    @Test func errorsKeepTheirType() async throws {
        let background = container.newBackgroundContext()
        do throws(ContextError) {
            try await background.perform { (context) throws(ContextError) in
                try context.insert(entity: "Boat")
                return
            }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .unknownEntity("Boat"))
        }
    }

    // MARK: Nested waits

    @Test func aBodyCanWaitForAnotherOneOfItsContext() async throws {
        let background = container.newBackgroundContext()
        let names = try await background.perform { context in
            try context.hire("Ann")
            return try background.performAndWait { inner in
                #expect(inner.insertedObjects.count == 1)
                try inner.hire("Bob")
                try background.performAndWait { try $0.save() }
                return try inner.names()
            }
        }
        #expect(names == ["Ann", "Bob"])
        let count = try await onThread {
            background.performAndWait { _ in background.performAndWait { $0.registeredObjects.count } }
        }
        #expect(count == 0)
        background.enqueue { _ in background.performAndWait { $0.onWillSave = nil } }
        await background.perform { _ in }
        #expect(container.pendingSaves == 0)
    }

    @Test func aBodyCanWaitForAnotherContextThatWaitsForItsOwn() async throws {
        let (first, second) = (container.newBackgroundContext(name: "a"), container.newBackgroundContext(name: "b"))
        let names = try await first.perform { context in
            try context.hire("Ann")
            return try second.performAndWait { other in
                try other.hireAndSave("Bob")
                // The confinement check of debug builds looks as well.
                try first.performAndWait { inner in
                    #expect(inner.insertedObjects.count == 1)
                    (inner.insertedObjects.first as? Employee)?.name += "!"
                    try inner.save()
                }
                return try other.names()
            }
        }
        #expect(names == ["Ann!", "Bob"])
        // Both are free again.
        #expect(await first.perform { !$0.hasChanges })
        #expect(await second.perform { !$0.hasChanges })
    }

    @Test func aBodyThatHoldsTheWriteLockCanWaitForAnotherContextThatWaitsForItsOwn() async throws {
        let (first, second) = (container.newBackgroundContext(name: "a"), container.newBackgroundContext(name: "b"))
        let names = try await container.coordinator.perform(on: first) { context in
            try context.hireAndSave("Ann")
            return try second.performAndWait { other in
                #expect(try other.count(for: FetchRequest("Employee")) == 0)
                // Only the first context reads what is not committed.
                return try first.performAndWait { inner in
                    try inner.hireAndSave("Bob")
                    return try inner.names()
                }
            }
        }
        #expect(names == ["Ann", "Bob"])
        #expect(try container.committed.count == 1)
    }

    @Test func anErrorOfAnInnerBodyKeepsItsType() async throws {
        let background = container.newBackgroundContext()
        let error = await background.perform { _ -> ContextError? in
            do throws(ContextError) {
                try background.performAndWait { (context) throws(ContextError) in
                    try context.insert(entity: "Boat")
                    return
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(error == .unknownEntity("Boat"))
    }

    @Test func anInnerBodyIsAPartOfTheOuterOne() async throws {
        let background = container.newBackgroundContext()
        let other = container.newBackgroundContext()
        let id = try await background.save { try $0.hire("Ann").objectID }
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.undoStack = UndoStack()
            let employee = try context.existingObject(with: id, as: Employee.self)
            try other.performAndWait { other in
                (other.object(with: id) as? Employee)?.name = "Bob"
                try other.save()
            }
            employee.salary = 1
            // Nothing is merged in the middle of a body, and the group of undo goes on.
            background.performAndWait { inner in
                let same = inner.object(with: id) as? Employee
                #expect(same?.name == "Ann")
                same?.age = 40
            }
            context.undo()
            #expect(employee.salary == nil && employee.age == 30)
        }
    }

    @Test @MainActor func theMainActorCanWaitInTheMiddleOfItsOwnChanges() throws {
        let view = container.viewContext
        let background = container.newBackgroundContext()
        var counts: [Int] = []
        view.observeChanges { _ in
            counts.append(background.performAndWait { _ in background.performAndWait { $0.insertedObjects.count } })
        }
        try view.hireAndSave("Ann")
        #expect(!counts.isEmpty && counts.allSatisfy { $0 == 0 })
    }

    @Test func twoBodiesThatWaitForEachOtherStopTheProgramWithBothNames() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let container = try await Company.openInMemory()
            let (first, second) = (
                container.newBackgroundContext(name: "import"), container.newBackgroundContext(name: "export")
            )
            let (isFirstIn, isSecondIn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            first.enqueue { _ in
                isFirstIn.signal()
                isSecondIn.wait()
                second.performAndWait { _ in }
            }
            second.enqueue { _ in
                isSecondIn.signal()
                isFirstIn.wait()
                first.performAndWait { _ in }
            }
            await first.perform { _ in }
        }
        result.expectErrors(
            "performAndWait would never return: the context ",
            "the context 'import'",
            "the context 'export'"
        )
    }

    @Test func aBodyThatWaitsForTheWriteLockOfWhoWaitsForItFailsWithBothNames() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let container = try await Company.openInMemory()
            let (first, second) = (
                container.newBackgroundContext(name: "import"), container.newBackgroundContext(name: "export")
            )
            let (hasLock, isSecondIn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            second.enqueue { context in
                isSecondIn.signal()
                hasLock.wait()
                do {
                    try context.hireAndSave("Ann")
                } catch {
                    FileHandle.standardError.write(Data("\(error)".utf8))
                    exit(1)
                }
            }
            isSecondIn.wait()
            try await container.coordinator.perform(on: first) { _ in
                hasLock.signal()
                second.performAndWait { _ in }
            }
        }
        // The context that waits last finds the deadlock; the error names both contexts.
        result.expectErrors(
            "would never",
            "the write lock of the store",
            "the context 'import'",
            "the context 'export'"
        )
    }
}
