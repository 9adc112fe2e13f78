import Tributary

func leak(_ background: BackgroundContext) async throws {
    #if MISUSE
        let anything: Any = try await background.perform { try $0.insert(Employee.self) as Any }  // error:
    #else
        let anything: any Sendable = try await background.perform { try $0.insert(Employee.self).uniqueID }
    #endif
    print(anything)
}
