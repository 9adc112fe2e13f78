extension ManagedObject {
    /// In debug builds, stops the program when the object is used off its context's actor or queue.
    @inline(__always)
    func checkConfinement(_ slot: Int) {
        #if DEBUG
            checkRead(slot)
        #endif
    }

    #if DEBUG
        /// For reads, which are inlined into clients.
        @usableFromInline
        func checkRead(_ slot: Int) { managedObjectContext?.queue.check(propertyName(slot)) }

        private func propertyName(_ slot: Int) -> String {
            let entity = kind.entity
            return entity.properties.indices.contains(slot)
                ? "\(entity.name).\(entity.properties[slot].name)" : entity.name
        }
    #endif
}
