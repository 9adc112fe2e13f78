import Tributary

/// An employee that writes down which of its hooks were called, in order.
final class HookedObject: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let salary = Field<Double?>("salary")
    static let badge = ToOne<HookedBadge>("badge")

    var calls: [String] = []
    var raise: Double?
    var leaves = false
    var badgeSeen = false

    var name: String {
        get { self[HookedObject.name] }
        set { self[HookedObject.name] = newValue }
    }
    var salary: Double? {
        get { self[HookedObject.salary] }
        set { self[HookedObject.salary] = newValue }
    }
    var badge: HookedBadge? {
        get { self[HookedObject.badge] }
        set { self[HookedObject.badge] = newValue }
    }

    override func awakeFromInsert() { calls.append("insert") }
    override func awakeFromFetch() { calls.append("fetch") }
    override func awake(from events: SnapshotEvents) { calls.append("awake \(events.rawValue)") }
    override func willTurnIntoFault() { calls.append("willFault \(name)") }
    override func didTurnIntoFault() { calls.append("didFault \(isFault)") }
    override func willSave() {
        calls.append("willSave")
        if let raise {
            salary = raise
            self.raise = nil
        }
        if leaves, !isDeleted { managedObjectContext?.delete(self) }
    }
    override func didSave() { calls.append("didSave \(state)") }
    override func prepareForDeletion() {
        calls.append("prepare \(state)")
        badgeSeen = badge != nil
    }
    override func validateForInsert() throws { calls.append("validateInsert") }
    override func validateForUpdate() throws { calls.append("validateUpdate") }
    override func validateForDelete() throws { calls.append("validateDelete") }
}
