import Tributary

func first(_ background: BackgroundContext) async throws {
    #if MISUSE
        let first = try await background.perform { try $0.fetch(Employee.self).first as Employee? }  // error:
    #else
        let first = try await background.perform { try $0.fetch(Employee.self).first?.name }
    #endif
    print(first as Any)
}
