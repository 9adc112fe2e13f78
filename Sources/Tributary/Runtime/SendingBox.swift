/// `@unchecked Sendable`: the value was `sending`, so no other code has it, and one closure removes it once.
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
