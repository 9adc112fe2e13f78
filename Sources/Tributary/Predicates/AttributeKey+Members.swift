extension AttributeKey where Value.Present: CompositeValue {
    /// A member of a composite attribute: `Employee.keys.address.street`.
    ///
    /// The key has no value where the composite has none. A computed property of the composite's Swift type is no
    /// member: a predicate with it is refused when it is used.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> AttributeKey<Root, Member> {
        AttributeKey<Root, Member>(path: self.path + [CompositeProbe.name(of: path) ?? "\(path)"])
    }
}
