import Dispatch
import Tributary

func later(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        let queue = DispatchQueue(label: "other")
        let item = DispatchWorkItem { print(name) }
        queue.async(execute: item)
        #if MISUSE
            queue.asyncAfter(deadline: .now()) { print(employee.name) }  // error:
        #endif
    }
}
