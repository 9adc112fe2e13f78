extension ManagedObjectContext {
    /// Forgets all objects for good, because the container has closed or nobody has the context any more; observers are
    /// let go, and with them what they hold.
    func close() {
        forgetAll()
        isClosed = true
        observers.removeAll()
    }
}
