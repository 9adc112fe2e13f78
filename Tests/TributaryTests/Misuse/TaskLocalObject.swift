import Tributary

enum Current {
    @TaskLocal static var id: ManagedObjectID?
    #if MISUSE
        @TaskLocal static var employee: Employee?  // error:
    #endif
}
