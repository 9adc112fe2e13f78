import Tributary
import TributaryAdmin
import TributaryChanges

extension ProblemMapping {
    static func problem(of error: ChangeError) -> ProblemDocument {
        let kind: ProblemKind =
            switch error.reason {
            case .unknownEntity, .abstractEntity, .unknownProperty, .wrongValue: .invalid
            case .notFound: .notFound
            case .duplicateID: .alreadyExists
            case .versionMoved: .conflict
            case .context(let error): ProblemMapping.kind(of: error)
            }
        var problem = ProblemDocument(kind, detail: error.description)
        problem.index = error.index
        switch error.reason {
        case .unknownProperty(let entity, let property), .wrongValue(let entity, let property, _, _):
            problem.errors = [.init(entity: entity, id: nil, property: property, detail: error.description)]
        case .versionMoved: problem.hint = "fetch the object again and decide anew"
        default: break
        }
        return problem
    }

    static func problem(of error: ValidationError) -> ProblemDocument {
        let count = error.failures.count
        var problem = ProblemDocument(
            .invalid,
            detail: count == 1 ? error.failures[0].description : "\(count) properties do not pass validation"
        )
        problem.errors = error.failures.prefix(QueryParameters.largestLimit).map { failure in
            .init(
                entity: failure.objectID.entity,
                id: failure.objectID.uniqueID.description,
                property: failure.property,
                detail: failure.message
            )
        }
        problem.index = error.failures.first?.changeIndex
        return problem
    }

    static func problem(of error: ConflictError) -> ProblemDocument {
        ProblemDocument(.conflict, detail: error.description, hint: "fetch the object again and decide anew")
    }

    static func problem(of error: ContextError) -> ProblemDocument {
        ProblemDocument(kind(of: error), detail: error.description)
    }

    private static func kind(of error: ContextError) -> ProblemKind {
        switch error {
        case .unknownEntity, .unknownFetchRequest, .abstractEntity, .unknownProperty, .wrongType, .wrongKind: .invalid
        case .notFound: .notFound
        case .notYetMerged: .conflict
        case .duplicateID: .alreadyExists
        case .closed, .detached, .locked: .notReady
        case .diskFull: .storageFull
        case .inputOutput: .inputOutput
        case .unreadable, .foreignObject, .unsettled, .missingTransformer, .derivations, .fields, .store,
            .saveInProgress,
            .deadlock:
            .failure
        }
    }
}
