extension QuantifiedKey where Value.Present: CompositeValue {
    /// A member of a composite attribute, as ``AttributeKey`` has it.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> QuantifiedKey<Root, Member> {
        let name = CompositeProbe.name(of: path) ?? "\(path)"
        return QuantifiedKey<Root, Member>(expression: expression.appending(name), quantifier: quantifier)
    }
}
