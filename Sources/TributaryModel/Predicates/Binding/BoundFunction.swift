package import TributaryChanges

/// A function whose arguments are bound.
package struct BoundFunction: Sendable {
    package let function: ObjectPredicate.Function
    package let arguments: [BoundPredicate.Operand]
    /// By argument.
    package let argumentKinds: [ValueKind]
    /// What comes out.
    package let kind: ValueKind

    /// The result for arguments that are all there.
    package func value(of arguments: [PropertyValue]) -> PropertyValue {
        arguments.contains(.null) ? .null : FunctionEvaluator.value(function, arguments)
    }
}
