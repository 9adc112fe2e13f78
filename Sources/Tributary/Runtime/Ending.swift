final class Ending: Sendable {
    private let block: @Sendable () -> Void

    init(_ block: @escaping @Sendable () -> Void) {
        self.block = block
    }

    deinit {
        block()
    }
}
