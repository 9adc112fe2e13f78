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

/// The published problem types; `type` in a problem document is `urn:tributary:problem:` and the name.
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
    /// The answer of a start that fails to the requests that wait for it.
    case startFailed = "start-failed"
    case failure = "failure"
    case inputOutput = "input-output"
    case storageFull = "storage-full"
    /// A condition that only an administrator can end, such as a wrong clock or a conflict with another writer.
    case blocked = "blocked"
    case timeout = "timeout"

    package var type: String { "urn:tributary:problem:" + rawValue }

    package var status: Int {
        switch self {
        case .badRequest, .badPredicate, .unknownParameter, .unknownMember: 400
        case .notPermitted: 403
        case .notFound, .unknownEntity: 404
        case .methodNotAllowed: 405
        case .alreadyExists, .conflict, .paused, .busy, .blocked: 409
        case .expired: 410
        case .tooLarge: 413
        case .invalid, .badConfiguration: 422
        case .failure: 500
        case .tooManyClients, .notReady, .startFailed, .timeout, .inputOutput: 503
        case .storageFull: 507
        }
    }

    package var title: String {
        switch self {
        case .badRequest: "The request cannot be understood"
        case .badPredicate: "The predicate cannot be understood"
        case .unknownParameter: "There is no such query parameter"
        case .unknownMember: "The body has a member that is not known"
        case .notPermitted: "Not permitted"
        case .notFound: "There is no such thing"
        case .unknownEntity: "The model has no such entity"
        case .methodNotAllowed: "The path does not take this method"
        case .alreadyExists: "The object exists already"
        case .conflict: "The object was changed in the meantime"
        case .paused: "Importing is paused"
        case .busy: "Another request is doing this"
        case .expired: "The token has expired"
        case .tooLarge: "The request is too large"
        case .invalid: "The change does not fit the model"
        case .badConfiguration: "The configuration is bad"
        case .tooManyClients: "Too many clients"
        case .notReady: "The daemon is not ready for this"
        case .startFailed: "The daemon cannot start"
        case .timeout: "The request took too long"
        case .failure: "The daemon failed"
        case .inputOutput: "A disk or file system failed"
        case .storageFull: "A disk is full"
        case .blocked: "Something keeps this from being done"
        }
    }
}
