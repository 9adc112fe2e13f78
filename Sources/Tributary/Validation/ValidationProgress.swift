import TributaryChanges

/// The checks that a running validation has made before it calls a hook of the object's class.
///
/// The validation collects the failures of all rules and then calls the hooks. An override that calls `super` must not
/// report these failures again, and must reach its own conditions; so `super` throws nothing then.
struct ValidationProgress {
    enum Checked: Equatable {
        case properties
        case deletion
        case value(PropertyValue, key: String)
    }

    private let object: ObjectIdentifier
    private let checked: Checked

    init(_ checked: Checked, of object: ManagedObject) {
        self.object = ObjectIdentifier(object)
        self.checked = checked
    }

    func covers(_ other: Checked, of object: ManagedObject) -> Bool {
        self.object == ObjectIdentifier(object) && checked == other
    }
}
