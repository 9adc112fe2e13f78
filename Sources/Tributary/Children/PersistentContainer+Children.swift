extension PersistentContainer {
    /// A context on a queue of its own whose parent is the view context: what it saves, the view context shows, and the
    /// store has it after the view context's save.
    public func newChildOfViewContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        newChild(of: ViewContextLink(container: self), name: name, author: author, mergePolicy: mergePolicy)
    }

    func newChild(of parent: any ParentLink, name: String?, author: String?, mergePolicy: MergePolicy) -> ChildContext {
        let child = ChildContext(
            container: self,
            parent: parent,
            name: name,
            author: author,
            mergePolicy: mergePolicy
        )
        contexts.add(child)
        return child
    }
}

extension BackgroundContext {
    /// A context on a queue of its own whose parent is this one.
    public nonisolated func newChild(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .objectTrump
    ) -> ChildContext {
        container.newChild(of: self, name: name, author: author, mergePolicy: mergePolicy)
    }
}

extension BackgroundContext: EndingContext {}
