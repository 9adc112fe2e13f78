package import TributaryChanges

package struct BoundFunction: Sendable {
    package let function: ObjectPredicate.Function
    package let arguments: [BoundPredicate.Operand]
    package let argumentKinds: [ValueKind]
    package let kind: ValueKind

    /// Returns the result for arguments without nulls.
    package func value(of arguments: [PropertyValue]) -> PropertyValue {
        arguments.contains(.null) ? .null : FunctionEvaluator.value(function, arguments)
    }
}
