import Glibc
import Hummingbird
import Logging
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

enum ProblemMapping {
    static func problem(of error: any Error, logger: Logger, path: String) -> ProblemDocument {
        switch error {
        case let problem as ProblemDocument: return problem
        case let error as StoreError: return problem(of: error, logger: logger, path: path)
        case let error as ChangeError: return problem(of: error)
        case let error as ValidationError: return problem(of: error)
        case let error as ConflictError:
            return ProblemDocument(
                .conflict,
                detail: error.description,
                hint: "fetch the object again, then send the change with its new version"
            )
        case let error as ContextError: return ProblemDocument(kind(of: error), detail: error.description)
        case let error as SyncError: return problem(of: error)
        case let error as SegmentError: return problem(of: error)
        case let error as ExportFailure: return problem(of: error)
        case let error as RestampError: return problem(of: error)
        case let error as ConfigurationError: return problem(of: error)
        case let error as HTTPError:
            var problem = ProblemDocument(.badRequest, detail: error.body)
            problem.status = error.status.code
            return problem
        case is CancellationError:
            return ProblemDocument(.notReady, detail: "the daemon is stopping")
        default:
            logger.error("A request failed", metadata: ["path": "\(path)", "error": "\(ErrorText.text(of: error))"])
            return ProblemDocument(.failure, detail: ErrorText.text(of: error))
        }
    }

    private static func problem(of error: SegmentError) -> ProblemDocument {
        let kind: ProblemKind =
            switch error.kind {
            case .inputOutput(ENOSPC), .inputOutput(EDQUOT): .storageFull
            case .inputOutput, .missing: .inputOutput
            case .forked, .locked: .blocked
            case .incomplete, .damaged, .rejected, .changed: .failure
            }
        var problem = ProblemDocument(kind, detail: error.reason, hint: error.hint)
        problem.file = error.file
        problem.line = error.line
        problem.writer = error.writer?.description
        problem.sequence = error.sequence
        return problem
    }

    static func problem(of error: ConfigurationError) -> ProblemDocument {
        var problem = ProblemDocument(
            .badConfiguration,
            detail: error.detail,
            hint: "the daemon keeps its present configuration"
        )
        problem.file = error.origin.source
        problem.line = error.origin.line
        return problem
    }

    private static func problem(of error: SyncError) -> ProblemDocument {
        let (kind, hint): (ProblemKind, String?) =
            switch error {
            case .notRunning: (.notReady, nil)
            case .paused: (.paused, "To resume it: tributaryctl resume")
            case .noSuchSegment: (.notFound, "To see all: tributaryctl segment list --all")
            case .notHeld(let name, _): (.conflict, "To see more: tributaryctl segment explain \(name.path)")
            case .noSuchWriter: (.notFound, "To see all: tributaryctl writer list")
            case .ownWriter: (.blocked, "Name another writer. To see all: tributaryctl writer list")
            case .noKey, .severalKeys:
                (
                    .blocked,
                    "Add --key KEY. On the writer's machine, to see the key: tributaryctl writer key; if that machine is "
                        + "gone, trust.keys has the key: tributaryctl config show"
                )
            case .noSuchBaseline: (.notFound, "To see all: tributaryctl compact --dry-run")
            case .baselineUnusable(_, _, let hint): (.blocked, hint)
            case .baselineContradicts:
                (.blocked, "One of the two stores is wrong; on this machine and on the baseline's: tributaryctl check")
            case .baselineUnproven(let name, _):
                (
                    .blocked,
                    "If transactions are missing, on the machine that has written them: tributaryctl check --repair; if you "
                        + "know that the baseline's machine is right: tributaryctl baseline accept \(name.path) --unproven"
                )
            }
        return ProblemDocument(kind, detail: error.description, hint: hint)
    }

    private static func problem(of error: RestampError) -> ProblemDocument {
        var problem = ProblemDocument(.blocked, detail: error.description)
        switch error {
        case .knownElsewhere(let writer, let sequence):
            problem.hint = "Export them under this name: tributaryctl sync"
            (problem.writer, problem.sequence) = (writer.description, sequence)
        case .unknownCounter:
            problem.hint = "Set clock.max_ahead above the lead that the status shows, then: tributaryctl reload"
        case .unproven(let writer): problem.writer = writer.description
        }
        return problem
    }

    private static func problem(of error: ExportFailure) -> ProblemDocument {
        let (kind, hint): (ProblemKind, String?) =
            switch error {
            case .clockAhead: (.blocked, "set the machine's clock right, or: tributaryctl writer restamp")
            case .cannotSync: (.inputOutput, nil)
            case .foreignFolder, .nameTaken: (.inputOutput, "To see more: tributaryctl status")
            }
        return ProblemDocument(kind, detail: error.description, hint: hint)
    }

    private static func problem(of error: StoreError, logger: Logger, path: String) -> ProblemDocument {
        switch error {
        case .duplicateID(let id):
            return ProblemDocument(.alreadyExists, detail: "\(id.entity) \(id.uniqueID) exists already")
        case .sharesKey:
            return ProblemDocument(
                .conflict,
                detail: "\(error)",
                hint: "fetch the objects again, then send the change again"
            )
        case .invalidChange(let index, let reason):
            var problem = ProblemDocument(.invalid, detail: reason)
            problem.index = index
            return problem
        case .invalidQuery(let reason):
            return ProblemDocument(.badRequest, detail: reason)
        case .timedOut(let duration):
            return ProblemDocument(
                .timeout,
                detail: "reading took longer than \(duration.components.seconds) s",
                hint: "make the predicate narrower, or add an index to the model"
            )
        case .closed:
            return ProblemDocument(.notReady, detail: "the daemon is stopping")
        case _ where error.isLocked:
            return ProblemDocument(
                .notReady,
                detail: "\(error)",
                hint: "end that program, or wait until it ends; then try again"
            )
        default:
            logger.error("The store failed", metadata: ["path": "\(path)", "error": "\(ErrorText.text(of: error))"])
            let kind: ProblemKind = error.isFull ? .storageFull : error.isInputOutput ? .inputOutput : .failure
            return ProblemDocument(kind, detail: "\(error)")
        }
    }
}

extension ProblemMapping {
    static func problem(of error: ChangeError, in model: Model) -> ProblemDocument {
        var problem = problem(of: error)
        guard case .unknownProperty(let entity, let property) = error.reason,
            let names = model.entity(named: entity)?.properties.map(\.name), let meant = property.nearest(in: names)
        else { return problem }
        problem.detail = "\(error)" + .question(meaning: meant)
        return problem
    }

    static func problem(of error: ChangeError) -> ProblemDocument {
        let kind: ProblemKind =
            switch error.reason {
            case .unknownEntity, .abstractEntity, .unknownProperty, .wrongValue, .refusedValue: .invalid
            case .notFound: .notFound
            case .duplicateID: .alreadyExists
            case .versionMoved: .conflict
            case .context(let error): kind(of: error)
            }
        var problem = ProblemDocument(kind, detail: error.description)
        problem.index = error.index
        switch error.reason {
        case .unknownProperty(let entity, let property), .wrongValue(let entity, let property, _, _),
            .refusedValue(let entity, let property, _):
            problem.errors = [.init(entity: entity, id: nil, property: property, detail: error.description)]
        case .versionMoved: problem.hint = "fetch the object again, then send the change with its new version"
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

    private static func kind(of error: ContextError) -> ProblemKind {
        switch error {
        case .unknownEntity, .unknownFetchRequest, .abstractEntity, .unknownProperty, .wrongType, .wrongKind: .invalid
        case .notFound: .notFound
        case .notYetMerged: .conflict
        case .duplicateID: .alreadyExists
        case .closed, .detached, .locked: .notReady
        case .diskFull: .storageFull
        case .inputOutput: .inputOutput
        case .unreadable, .foreignObject, .unsettled, .missingTransformer, .derivations, .fields, .classNotGiven,
            .store,
            .saveInProgress,
            .deadlock:
            .failure
        }
    }
}
