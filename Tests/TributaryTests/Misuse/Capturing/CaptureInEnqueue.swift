import Tributary

@MainActor
func hand(_ container: PersistentContainer, _ background: BackgroundContext) throws {
    let employee = try container.viewContext.insert(Employee.self)
    let name = employee.name
    background.enqueue { _ in
        #if MISUSE
            print(employee.name)  // error:
        #endif
        print(name)
    }
}
