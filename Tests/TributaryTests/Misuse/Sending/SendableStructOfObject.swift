import Tributary

struct Line: Sendable {
    #if MISUSE
        let employee: Employee  // error:
    #else
        let employee: ManagedObjectID
    #endif
}
