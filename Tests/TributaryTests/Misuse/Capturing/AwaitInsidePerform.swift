import Tributary

func name() async -> String { "Ann" }

func insert(_ background: BackgroundContext) async throws {
    let given = await name()
    try await background.perform { context in  // error:
        #if MISUSE
            try context.insert(Employee.self).name = await name()
        #endif
        try context.insert(Employee.self).name = given
    }
}
