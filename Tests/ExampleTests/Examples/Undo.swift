import Tributary

/// Removes a company with its employees, and takes that back: what the cascade removed comes back as well.
@MainActor
func removeAndRestore(_ company: Company, in context: ManagedObjectContext) -> [String] {
    context.delete(company)
    context.undoStack?.setActionName("Remove company")
    context.processPendingChanges()  // ends the group, as the end of an event or of a `perform` does

    var story = ["\(context.undoStack?.undoActionName ?? "none"): \(context.deletedObjects.count) deleted"]
    context.undo()
    story.append("undone: \(context.deletedObjects.count) deleted")
    context.redo()
    story.append("redone: \(context.deletedObjects.count) deleted")
    return story
}
