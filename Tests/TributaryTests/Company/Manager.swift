import Tributary

final class Manager: Employee {
    override class var entityName: String { "Manager" }
    static let bonus = Field<Double?>("bonus")

    var bonus: Double? {
        get { self[Manager.bonus] }
        set { self[Manager.bonus] = newValue }
    }
}
