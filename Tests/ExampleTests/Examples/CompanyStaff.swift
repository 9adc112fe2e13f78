import Tributary

extension Company {
    /// The names of all who work here.
    var staff: [String] { employees.map(\.name).sorted() }
}
