/// The key of a property in a class: ``Field``, ``ToOne``, ``ToMany`` or ``TransformableField``.
///
/// A class lists its keys in ``ManagedObject/declaredFields``, and the container checks them when it opens.
public protocol DeclaredField: Sendable {
    /// The property's name in the model.
    var name: String { get }
}
