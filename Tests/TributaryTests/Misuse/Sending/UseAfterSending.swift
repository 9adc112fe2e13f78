import Tributary

final class Draft {
    var name = "Ann"
}

func send(_ background: BackgroundContext) async throws {
    let draft = Draft()
    try await background.perform(with: draft) { context, draft in  // error:
        try context.insert(Employee.self).name = draft.name
    }
    #if MISUSE
        draft.name = "Bob"
    #endif
}
