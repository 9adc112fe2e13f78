import Tributary

func pair(_ background: BackgroundContext) async throws {
    #if MISUSE
        let pair = try await background.perform { ("Ann", try $0.insert(Employee.self)) }  // error:
        print(pair.0)
    #else
        let pair = try await background.perform { ("Ann", try $0.insert(Employee.self).objectID) }
        print(pair.0)
    #endif
}
