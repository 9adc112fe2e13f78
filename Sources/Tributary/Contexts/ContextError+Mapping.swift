import TributaryStore

extension ContextError {
    init(_ error: any Error) {
        switch error {
        case let error as ContextError: self = error
        case StoreError.closed: self = .closed
        case StoreError.blob(let path, let reason): self = .inputOutput(reason: "\(path): \(reason)")
        case StoreError.duplicateID(let id): self = .duplicateID(id)
        case StoreError.nestedTransaction(let holder): self = .saveInProgress(by: holder)
        case StoreError.deadlock(let cycle): self = .deadlock(cycle)
        case let error as StoreError where error.isFull: self = .diskFull(reason: "\(error)")
        case let error as StoreError where error.isInputOutput: self = .inputOutput(reason: "\(error)")
        case let error as StoreError where error.isLocked: self = .locked(reason: "\(error)")
        default: self = .store(reason: "\(error)")
        }
    }
}
