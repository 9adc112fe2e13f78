extension ManagedObjectContext {
    /// Reverts the last group of changes; does nothing when there is none, or without an ``undoStack``.
    ///
    /// An open group that a program has begun is ended first.
    public func undo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        while stack.groupingLevel > 1 { stack.endUndoGrouping() }
        if stack.groupingLevel == 1 { stack.endUndoGrouping() } else { stack.close() }
        guard let group = stack.undoGroups.popLast() else { return }
        if let inverse = UndoOperation(context: self, stack: stack).apply(group, .undoing) {
            stack.redoGroups.append(inverse)
        }
        processChanges()
    }

    /// Repeats the changes that were undone last; does nothing when other changes were made since.
    public func redo() {
        checkConfinement()
        guard let stack = undoStack else { return }
        processChanges()
        if !stack.open.records.isEmpty { stack.close() }
        guard stack.groupingLevel == 0, let group = stack.redoGroups.popLast() else { return }
        if let inverse = UndoOperation(context: self, stack: stack).apply(group, .redoing) {
            stack.undoGroups.append(inverse)
        }
        processChanges()
    }
}
