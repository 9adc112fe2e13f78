// language mode: 5
import Foundation
import Tributary

func leak(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        Thread.detachNewThread { print(employee.name) }  // warning:
    }
}
