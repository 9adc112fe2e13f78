import Tributary

func keep(_ background: BackgroundContext) async throws {
    var kept: ManagedObjectID?
    #if MISUSE
        var leaked: Employee?
        try await background.perform { context in
            leaked = try context.insert(Employee.self)  // error:
        }
        print(leaked?.name as Any)
    #endif
    kept = try await background.perform { context in try context.insert(Employee.self).objectID }
    print(kept as Any)
}
