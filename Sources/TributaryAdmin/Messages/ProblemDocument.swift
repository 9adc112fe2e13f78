/// What went wrong, as RFC 9457 has it; the members after `detail` are there where they apply.
package struct ProblemDocument: Codable, Hashable, Sendable, Error {
    package var type: String
    package var title: String
    package var status: Int
    package var detail: String?
    package var file: String?
    package var line: Int?
    package var writer: String?
    package var sequence: UInt64?
    /// What helps.
    package var hint: String?
    /// Where in the text the mistake is, in characters from 0.
    package var position: Int?
    /// The change of a request that is at fault, from 0.
    package var index: Int?
    /// Every property that failed its validation.
    package var errors: [PropertyProblem]?

    package init(_ kind: ProblemKind, detail: String? = nil, hint: String? = nil) {
        type = kind.type
        title = kind.title
        status = kind.status
        self.detail = detail
        self.hint = hint
    }

    /// One property of one object that a save refused.
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
