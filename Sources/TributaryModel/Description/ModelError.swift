/// An error that makes a model unusable, with its reason and its position in the file.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A description of the error and of its remedy.
    public var reason: String
    /// The model file; nil when the model was not read from a file.
    public var file: String?
    /// The line in the file, from 1.
    public var line: Int?
    /// The column in the line, from 1, in a YAML model.
    public internal(set) var column: Int?
    /// The element at fault, such as `entity Employee, attribute salary`.
    public var element: String?
    package var code: Int32?

    /// Creates an error with the parts of its position that are known.
    ///
    /// - Parameters:
    ///   - reason: The description of the error and of its remedy.
    ///   - file: The model file.
    ///   - line: The line in the file, from 1.
    ///   - element: The element with the error.
    public init(_ reason: String, file: String? = nil, line: Int? = nil, element: String? = nil) {
        self.reason = reason
        self.file = file
        self.line = line
        self.element = element
    }

    /// `file:line: element: column N: reason`, as far as they are known.
    public var description: String {
        let position = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return [position, element ?? "", column.map { "column \($0)" } ?? "", reason].filter { !$0.isEmpty }.joined(
            separator: ": "
        )
    }
}
