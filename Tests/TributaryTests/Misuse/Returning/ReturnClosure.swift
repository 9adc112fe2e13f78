import Tributary

func rename(_ background: BackgroundContext) async throws {
    #if MISUSE
        let rename = try await background.perform { context -> (String) -> Void in  // error:
            let employee = try context.insert(Employee.self)
            return { employee.name = $0 }
        }
        rename("Ann")
    #else
        try await background.perform { context in
            let employee = try context.insert(Employee.self)
            let rename = { employee.name = $0 }
            rename("Ann")
        }
    #endif
}
