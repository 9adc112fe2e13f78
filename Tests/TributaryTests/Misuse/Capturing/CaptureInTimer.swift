import Foundation
import Tributary

func later(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        let timer = Timer(timeInterval: 1, repeats: false) { _ in
            #if MISUSE
                print(employee.name)  // error:
            #endif
            print(name)
        }
        RunLoop.main.add(timer, forMode: .default)
    }
}
