import Tributary

enum Desk {
    #if MISUSE
        nonisolated static var employee: Employee?  // error:
    #endif
    // The main actor's objects may be kept where only the main actor gets at them.
    @MainActor static var shown: Employee?
}
