import Foundation
import TestSupport
import Testing
import Tributary

#if DEBUG
    /// Ways out that the compiler leaves open end at the first use off the queue.
    struct ConfinementEscapeTests {
        /// Carries an object the way an error may: with a warning in a client, so unchecked here.
        private struct Refusal: Error, @unchecked Sendable {
            let employee: Employee
        }

        @Test func anErrorThatCarriesAnObjectIsFoundWhereTheObjectIsUsed() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let background = container.newBackgroundContext(name: "payroll")
                do {
                    try await background.perform { throw Refusal(employee: try $0.insert(Employee.self)) }
                } catch let refusal as Refusal {
                    print(refusal.employee.name)
                }
                // An object of a context that has ended belongs to none: anybody may read its last values.
                withExtendedLifetime(background) {}
            }
            #expect(result.errors.contains("Employee.name was used off the queue of the context 'payroll'"))
        }

        @Test func anObjectInANotificationIsFoundWhereItIsUsed() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let hired = Notification.Name("hired")
                let queue = OperationQueue()
                let observer = NotificationCenter.default.addObserver(forName: hired, object: nil, queue: queue) {
                    note in
                    print((note.object as? Employee)?.name ?? "")
                }
                try await container.newBackgroundContext(name: "hiring").perform { context in
                    NotificationCenter.default.post(name: hired, object: try context.insert(Employee.self))
                }
                NotificationCenter.default.removeObserver(observer)
            }
            #expect(result.errors.contains("Employee.name was used off the queue of the context 'hiring'"))
        }

        @Test func anAddressOfAnObjectIsFoundWhereItIsUsed() async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let container = try await Company.openInMemory()
                let background = container.newBackgroundContext(name: "unsafe")
                let address = try await background.perform { context in
                    Int(bitPattern: Unmanaged.passRetained(try context.insert(Employee.self)).toOpaque())
                }
                guard let pointer = UnsafeRawPointer(bitPattern: address) else { return }
                print(Unmanaged<Employee>.fromOpaque(pointer).takeRetainedValue().name)
                withExtendedLifetime(background) {}
            }
            #expect(result.errors.contains("Employee.name was used off the queue of the context 'unsafe'"))
        }
    }
#endif
