import TributaryChanges

/// What a running validation has checked itself before it calls a hook of the object's class.
///
/// The validation collects the failures of all rules and then calls the hooks. An override that calls `super` must not
/// report the same failures again, and must get as far as its own conditions; so `super` finds nothing then.
struct ValidationProgress {
    /// What was checked.
    enum Checked: Equatable {
        /// All properties that the validation is about.
        case properties
        /// The delete rules.
        case deletion
        /// One value of an attribute.
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
