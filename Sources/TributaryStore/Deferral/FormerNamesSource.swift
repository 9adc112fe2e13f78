import Synchronization
package import TributaryModel

/// The former names of a model, computed on the first lookup of a name that the model does not have.
///
/// A store whose writers all use its version of the model never needs the former names, nor the older versions.
package final class FormerNamesSource: Sendable {
    private let state: Mutex<State>

    private enum State {
        case unread(@Sendable () -> FormerNames)
        case known(FormerNames)
    }

    package init(_ read: @escaping @Sendable () -> FormerNames) {
        state = Mutex(.unread(read))
    }

    var names: FormerNames {
        state.withLock { state in
            switch state {
            case .known(let names): return names
            case .unread(let read):
                let names = read()
                state = .known(names)
                return names
            }
        }
    }
}
