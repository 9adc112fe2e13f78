import TributaryInference
import TributaryModel
import TributaryStore

/// A version of the model that a store is at or is taken to, with the former names that its writers may use.
struct MigrationTarget {
    let configuration: StoreConfiguration
    private let formerNames: FormerNamesSource

    init(_ model: Model, older: ModelVersions, _ configuration: StoreConfiguration) {
        var configuration = configuration
        configuration.model = model
        self.configuration = configuration
        formerNames = FormerNamesSource { FormerNames(of: model, histories: [older, model.earlier]) }
    }

    var model: Model { configuration.model }

    /// The layout of the model's tables, in which entries of the catalogue keep their codes and column indexes.
    func layout(_ catalogue: Catalogue) -> StoreModel {
        var builder = LayoutBuilder(model: model, catalogue: catalogue)
        return builder.build(storeName: configuration.name, formerNames: formerNames)
    }
}
