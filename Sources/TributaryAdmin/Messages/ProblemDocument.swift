/// A problem document as RFC 9457 defines it; the members after `detail` are optional.
package struct ProblemDocument: Codable, Hashable, Sendable, Error {
    package var type: String
    package var title: String
    package var status: Int
    package var detail: String?
    package var file: String?
    package var line: Int?
    package var writer: String?
    package var sequence: UInt64?
    package var hint: String?
    /// The offset of the mistake in the text, in characters from 0.
    package var position: Int?
    /// The index of the faulty change in the request, from 0.
    package var index: Int?
    /// The properties that failed their validation.
    package var errors: [PropertyProblem]?

    package init(_ kind: ProblemKind, detail: String? = nil, hint: String? = nil) {
        type = kind.type
        title = kind.title
        status = kind.status
        self.detail = detail
        self.hint = hint
    }

    /// A property of an object that failed its validation at a save.
    package struct PropertyProblem: Codable, Hashable, Sendable {
        package var entity: String
        package var id: String?
        package var property: String?
        package var detail: String

        package init(entity: String, id: String?, property: String?, detail: String) {
            self.entity = entity
            self.id = id
            self.property = property
            self.detail = detail
        }
    }
}

extension ProblemDocument: CustomStringConvertible {
    package var description: String {
        [detail ?? title, hint].compactMap { $0 }.joined(separator: "; ")
    }
}
