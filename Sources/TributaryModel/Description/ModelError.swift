/// Why a model cannot be used: what, and where in the file.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what helps.
    public var reason: String
    /// The file, when the model was read from one.
    public var file: String?
    /// The line in the file, from 1.
    public var line: Int?
    /// The element at fault, such as `entity Employee, attribute salary`.
    public var element: String?

    /// An error with as much of a place as is known.
    public init(_ reason: String, file: String? = nil, line: Int? = nil, element: String? = nil) {
        self.reason = reason
        self.file = file
        self.line = line
        self.element = element
    }

    /// `file:line: element: reason`, as far as they are known.
    public var description: String {
        let place = [file, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return [place, element ?? "", reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}
