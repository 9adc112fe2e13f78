import Dispatch
import Tributary

func later(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        DispatchQueue.global().async {
            #if MISUSE
                print(employee.name)  // error:
            #endif
            print(name)
        }
    }
}
