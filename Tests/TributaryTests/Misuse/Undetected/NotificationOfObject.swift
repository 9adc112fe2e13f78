import Foundation
import Tributary

func leak(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        NotificationCenter.default.post(name: Notification.Name("hired"), object: employee)  // undetected:
    }
}
