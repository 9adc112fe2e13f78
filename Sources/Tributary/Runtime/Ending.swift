/// Does something when the last reference to it is gone: who holds it need not know what.
final class Ending: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    deinit {
        body()
    }
}
