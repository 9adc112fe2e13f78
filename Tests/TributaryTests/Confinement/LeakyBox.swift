import Tributary

/// Carries an object or a context where the compiler would not let it go.
///
/// `@unchecked Sendable`: it is the very mistake that the debug build must find.
final class LeakyBox: @unchecked Sendable {
    var object: ManagedObject?
    var context: ManagedObjectContext?
}
