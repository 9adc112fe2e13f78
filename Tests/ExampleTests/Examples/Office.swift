import Tributary

final class Office: ManagedObject, FieldAccess {
    override class var entityName: String { "Office" }
    static let street = Field<String>("street")
    static let rooms = Field<Int?>("rooms")
    static let company = ToOne<Company>("company")
    override class var declaredFields: [any DeclaredField] { [street, rooms, company] }
}

func move(_ office: Office, to street: String) {
    office.street = street
    office.rooms = nil
}
