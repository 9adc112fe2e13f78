package import TributaryChanges

/// A function whose arguments are bound.
package struct BoundFunction: Sendable {
    package let function: ObjectPredicate.Function
    package let arguments: [BoundPredicate.Operand]
    /// The kind of each argument.
    package let argumentKinds: [ValueKind]
    /// The kind of the result.
    package let kind: ValueKind

    /// Returns the result for arguments without nulls.
    package func value(of arguments: [PropertyValue]) -> PropertyValue {
        arguments.contains(.null) ? .null : FunctionEvaluator.value(function, arguments)
    }
}
