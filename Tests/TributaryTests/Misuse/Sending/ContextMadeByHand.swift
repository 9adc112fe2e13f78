import Tributary

func open(_ container: PersistentContainer) -> BackgroundContext {
    #if MISUSE
        _ = ManagedObjectContext()  // error:
    #endif
    return container.newBackgroundContext()
}
