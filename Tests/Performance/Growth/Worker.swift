import Tributary

/// An employee of a works.
final class Worker: ManagedObject {
    override class var entityName: String { "Worker" }
    static let name = Field<String?>("name")
    static let code = Field<String?>("code")
    static let employer = ToOne<Works>("employer")

    var name: String? {
        get { self[Worker.name] }
        set { self[Worker.name] = newValue }
    }
    var code: String? {
        get { self[Worker.code] }
        set { self[Worker.code] = newValue }
    }
    var employer: Works? {
        get { self[Worker.employer] }
        set { self[Worker.employer] = newValue }
    }
}
