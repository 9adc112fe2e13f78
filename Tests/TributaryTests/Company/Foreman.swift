import Tributary

final class Foreman: Employee {
    override class var entityName: String { "Foreman" }
    static let bonus = Field<Double?>("bonus")

    var bonus: Double? {
        get { self[Foreman.bonus] }
        set { self[Foreman.bonus] = newValue }
    }
}
