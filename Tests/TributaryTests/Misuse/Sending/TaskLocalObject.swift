import Tributary

enum Session {
    #if MISUSE
        static let employee = TaskLocal<Employee?>(wrappedValue: nil)  // error:
    #endif
    static let employeeID = TaskLocal<ManagedObjectID?>(wrappedValue: nil)
}
