import Foundation
import Tributary

@MainActor
func later(_ container: PersistentContainer) throws {
    let employee = try container.viewContext.insert(Employee.self)
    let name = employee.name
    Thread.detachNewThread {
        #if MISUSE
            print(employee.name)  // error:
        #endif
        print(name)
    }
}
