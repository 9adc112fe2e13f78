/// Carries one value into a closure that runs later, once.
///
/// `@unchecked Sendable`: the value was `sending` when it was stored, so no other code has it, and the only closure
/// that holds the box removes it once, after it was stored.
final class SendingBox<Content>: @unchecked Sendable {
    private var content: Content?

    init(_ content: sending Content) {
        self.content = content
    }

    static func passing(
        _ content: sending Content,
        to block: @escaping @Sendable (ManagedObjectContext, sending Content) -> Void
    ) -> @Sendable (ManagedObjectContext) -> Void {
        let box = SendingBox(content)
        return { context in
            if let content = box.open() { block(context, content) }
        }
    }

    func open() -> sending Content? {
        // The box gives up its only reference, which region analysis cannot see through a stored property.
        nonisolated(unsafe) let taken = content
        content = nil
        return taken
    }
}
