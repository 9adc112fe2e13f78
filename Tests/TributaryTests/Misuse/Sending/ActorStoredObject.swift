import Tributary

actor Desk {
    var name = ""
    #if MISUSE
        var employee: Employee?
    #endif

    func work(_ background: BackgroundContext) async throws {
        #if MISUSE
            employee = try await background.perform { try $0.insert(Employee.self) }  // error:
        #endif
        name = try await background.perform { try $0.insert(Employee.self).name }
    }
}
