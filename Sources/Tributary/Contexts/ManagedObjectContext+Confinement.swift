extension ManagedObjectContext {
    /// In debug builds, stops the program when a client that the compiler does not check (Swift 5 mode,
    /// `@preconcurrency import`, `nonisolated(unsafe)`) uses the context off its actor or queue; in release builds it is
    /// nothing.
    @inline(__always)
    func checkConfinement(_ entry: StaticString = #function) {
        #if DEBUG
            if let parent { return parent.checkConfinement(entry) }
            if isMain {
                if !Whereabouts.isSurelyMain { stopUnlessMain("\(entry)") }
            } else if let executor, !executor.isCurrent {
                preconditionFailure(offItsQueue("\(entry)"))
            }
        #endif
    }

    #if DEBUG
        /// The same for a property of one of its objects.
        func checkConfinement(_ object: ManagedObject, _ slot: Int) {
            if let parent { return parent.checkConfinement(object, slot) }
            if isMain {
                if !Whereabouts.isSurelyMain { stopUnlessMain(propertyName(object, slot)) }
            } else if let executor, !executor.isCurrent {
                preconditionFailure(offItsQueue(propertyName(object, slot)))
            }
        }

        private func stopUnlessMain(_ what: String) {
            Whereabouts.stopUnlessMain(
                "\(what) was used off the main actor, on \(Whereabouts.description); it belongs to the view context. "
                    + "Use it in `await MainActor.run { … }`, or pass the objectID or a snapshot() instead."
            )
        }

        private func propertyName(_ object: ManagedObject, _ slot: Int) -> String {
            let entity = object.kind.entity
            return entity.properties.indices.contains(slot)
                ? "\(entity.name).\(entity.properties[slot].name)" : entity.name
        }

        private func offItsQueue(_ what: String) -> String {
            "\(what) was used off the queue of the context '\(name ?? "background")', on \(Whereabouts.description); "
                + "use its perform, or pass the objectID or a snapshot() instead"
        }
    #endif
}
