import Tributary

func copy(_ container: PersistentContainer, _ background: BackgroundContext) async throws {
    try await background.perform { context in
        #if MISUSE
            try container.viewContext.save()  // error:
        #endif
        try context.save()
    }
    try await MainActor.run { try container.viewContext.save() }
}
