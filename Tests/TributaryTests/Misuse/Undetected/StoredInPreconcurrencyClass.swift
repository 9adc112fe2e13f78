@preconcurrency import Tributary

final class Desk: Sendable {
    let employee: ManagedObject  // warning:

    init(_ employee: ManagedObject) { self.employee = employee }
}
