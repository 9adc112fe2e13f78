import Synchronization
import TributaryModel

/// The former names of a model, computed on the first lookup of a name that the model does not have.
///
/// A store whose writers all use its version of the model never needs the former names, nor the older versions.
final class FormerNamesSource: Sendable {
    private let model: Model
    private let state: Mutex<State>

    private enum State {
        case asked(of: [ModelVersions])
        case known(FormerNames)
    }

    init(of model: Model, histories: [ModelVersions]) {
        self.model = model
        state = Mutex(.asked(of: histories))
    }

    var names: FormerNames {
        state.withLock { state in
            switch state {
            case .known(let names): return names
            case .asked(let histories):
                let names = FormerNames(of: model, histories: histories.map { $0.passing() })
                state = .known(names)
                return names
            }
        }
    }
}
