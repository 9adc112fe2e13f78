extension ManagedObjectContext {
    /// A context above whose saves this context stands instead of the store, on the same queue or actor.
    ///
    /// The child sees what this context has not saved. Its save makes this context dirty and leaves the store alone;
    /// what it has changed replaces what this context has.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChild(name: "draft")
    /// try draft.insert(Employee.self).name = "Ann"
    /// try draft.save()                    // the view context shows Ann
    /// try container.viewContext.save()    // the store has Ann
    /// ```
    ///
    /// A draft that comes to nothing is ended with `rollback()` or `reset()`: a context and its unsaved objects hold each
    /// other.
    ///
    /// - Parameters:
    ///   - name: a name of its own, for people; the store never hears of it.
    ///   - mergePolicy: kept for the child's own children; a save into a parent has no conflicts.
    /// - Returns: A context that is used where this one is; it holds this one.
    public func newChild(name: String? = nil, mergePolicy: MergePolicy = .objectTrump) -> ManagedObjectContext {
        checkConfinement()
        let child = ManagedObjectContext(
            home: home,
            name: name,
            author: author,
            mergePolicy: mergePolicy,
            source: ParentSource(self)
        )
        child.caughtUpVersion = child.source.version
        return child
    }
}
