/// A problem document of RFC 9457; the members after `detail` are optional.
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
    /// In characters from 0.
    package var position: Int?
    package var index: Int?
    package var errors: [PropertyProblem]?

    package init(_ kind: ProblemKind, detail: String? = nil, hint: String? = nil) {
        type = kind.type
        title = kind.title
        status = kind.status
        self.detail = detail
        self.hint = hint
    }

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

/// The `type` of a problem document is `urn:tributary:problem:` and the name.
package enum ProblemKind: String, CaseIterable, Sendable {
    case badRequest = "bad-request"
    case badPredicate = "bad-predicate"
    case unknownParameter = "unknown-parameter"
    case unknownMember = "unknown-member"
    case notPermitted = "not-permitted"
    case notFound = "not-found"
    case unknownEntity = "unknown-entity"
    case methodNotAllowed = "method-not-allowed"
    case alreadyExists = "already-exists"
    case conflict = "conflict"
    case paused = "paused"
    case busy = "busy"
    case expired = "expired"
    case tooLarge = "too-large"
    case invalid = "invalid"
    case badConfiguration = "bad-configuration"
    case tooManyClients = "too-many-clients"
    case notReady = "not-ready"
    case startFailed = "start-failed"
    case failure = "failure"
    case inputOutput = "input-output"
    case storageFull = "storage-full"
    /// Only an administrator can end it, such as a wrong clock or a conflict with another writer.
    case blocked = "blocked"
    case timeout = "timeout"

    package var type: String { "urn:tributary:problem:" + rawValue }

    package var status: Int { answer.status }

    package var title: String { answer.title }

    private var answer: (status: Int, title: String) {
        switch self {
        case .badRequest: (400, "The request cannot be understood")
        case .badPredicate: (400, "The predicate cannot be understood")
        case .unknownParameter: (400, "The query parameter is not known")
        case .unknownMember: (400, "The body has a member that is not known")
        case .notPermitted: (403, "Not permitted")
        case .notFound: (404, "Not found")
        case .unknownEntity: (404, "The model does not have this entity")
        case .methodNotAllowed: (405, "The path does not accept this method")
        case .alreadyExists: (409, "The object exists already")
        case .conflict: (409, "The object was changed in the meantime")
        case .paused: (409, "Importing is paused")
        case .busy: (409, "Another request is doing this")
        case .expired: (410, "The token has expired")
        case .tooLarge: (413, "The request is too large")
        case .invalid: (422, "The change does not fit the model")
        case .badConfiguration: (422, "The configuration is bad")
        case .tooManyClients: (503, "Too many clients")
        case .notReady: (503, "The daemon is not ready for this")
        case .startFailed: (503, "The daemon cannot start")
        case .failure: (500, "The daemon failed")
        case .inputOutput: (503, "A disk or file system failed")
        case .storageFull: (507, "A disk is full")
        case .blocked: (409, "The present state does not allow this")
        case .timeout: (503, "The request took too long")
        }
    }
}
