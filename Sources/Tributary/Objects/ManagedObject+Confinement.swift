extension ManagedObject {
    /// In debug builds, stops the program when the object is used off its context's actor or queue.
    @inline(__always)
    func checkConfinement(_ slot: Int) {
        #if DEBUG
            managedObjectContext?.checkConfinement(self, slot)
        #endif
    }

    #if DEBUG
        /// For reads, which are inlined into clients.
        @usableFromInline
        func checkRead(_ slot: Int) { managedObjectContext?.checkConfinement(self, slot) }
    #endif
}
