extension ManagedObjectContext {
    /// In debug builds, traps when a client that the compiler does not check (Swift 5 mode, `@preconcurrency import`)
    /// uses the context off its actor or queue.
    func checkConfinement() {
        #if DEBUG
            if isMain { MainActor.preconditionIsolated("the view context belongs to the main actor") }
            executor?.checkIsolated()
        #endif
    }
}
