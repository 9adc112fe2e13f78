import Synchronization
import Tributary

final class Desk: Sendable {
    let name = Mutex("")
    #if MISUSE
        let employee = Mutex<Employee?>(nil)
    #endif
}

func keep(_ background: BackgroundContext, _ desk: Desk) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        #if MISUSE
            desk.employee.withLock { $0 = employee }  // error:
        #endif
        desk.name.withLock { $0 = employee.name }
    }
}
