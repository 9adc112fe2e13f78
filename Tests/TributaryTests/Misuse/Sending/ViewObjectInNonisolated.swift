import Tributary

struct Screen: Sendable {
    let container: PersistentContainer

    nonisolated func title() -> String {
        #if MISUSE
            return container.viewContext.name ?? ""  // error:
        #else
            return container.name
        #endif
    }
}
