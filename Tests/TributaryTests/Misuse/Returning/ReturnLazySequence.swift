import Tributary

func names(_ background: BackgroundContext) async throws -> [String] {
    #if MISUSE
        let employees = try await background.perform { try $0.fetch(Employee.self).lazy }  // error:
        return employees.map(\.name)
    #else
        return try await background.perform { try $0.fetch(Employee.self).map(\.name) }
    #endif
}
