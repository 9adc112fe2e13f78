import Tributary

final class Badge: ManagedObject {
    override class var entityName: String { "Badge" }
    static let number = Field<Int64?>("number")
    static let owner = ToOne<Employee>("owner")

    var number: Int64? {
        get { self[Badge.number] }
        set { self[Badge.number] = newValue }
    }
    var owner: Employee? {
        get { self[Badge.owner] }
        set { self[Badge.owner] = newValue }
    }
}
