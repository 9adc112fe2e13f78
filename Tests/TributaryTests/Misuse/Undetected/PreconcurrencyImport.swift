@preconcurrency import Tributary

// A class of one's own is an error here too; the library's class only gives a warning.
func hand(_ employee: ManagedObject, to background: BackgroundContext) {
    background.enqueue { _ in print(employee.objectID) }  // warning:
}
