/// Carries one value into a closure that runs later, once.
///
/// `@unchecked Sendable`: the value was `sending` when it was put in, so nobody else has it, and the one closure that
/// holds the box takes it out once, after it was put in.
final class SendingBox<Content>: @unchecked Sendable {
    private var content: Content?

    init(_ content: sending Content) {
        self.content = content
    }

    /// Hands the value over; the box is empty then.
    func open() -> sending Content? {
        // The box gives up its only reference, which region analysis cannot see through a stored property.
        nonisolated(unsafe) let taken = content
        content = nil
        return taken
    }
}
