import Tributary

func all(_ background: BackgroundContext) async throws -> Int {
    #if MISUSE
        let employees = try await background.perform { try $0.fetch(Employee.self) }  // error:
    #else
        let employees = try await background.perform { try $0.fetch(Employee.self).map { $0.snapshot() } }
    #endif
    return employees.count
}
