import Tributary

/// A badge that writes down which of its hooks were called, in order.
final class HookedBadge: ManagedObject {
    override class var entityName: String { "Badge" }
    static let number = Field<Int64?>("number")
    var calls: [String] = []

    var number: Int64? {
        get { self[HookedBadge.number] }
        set { self[HookedBadge.number] = newValue }
    }

    override func prepareForDeletion() { calls.append("prepare \(state)") }
    override func willSave() { calls.append("willSave") }
    override func didSave() { calls.append("didSave \(state)") }
}
