package import GRDB
package import TributaryModel

/// Brings a store to another version of its model.
///
/// Opening a store takes a migrator as a parameter, because TributaryMigration lies above the store.
package protocol StoreMigrator: Sendable {
    /// Reads the older versions of a model.
    ///
    /// - Parameters:
    ///   - model: The current version.
    ///   - histories: Lists of older versions; each list begins with the oldest version.
    /// - Returns: The names that the entities and properties of the model had in them.
    func formerNames(of model: Model, histories: [ModelVersions]) -> FormerNames

    /// Migrates a store, inside the transaction that opens it.
    ///
    /// - Throws: The migrator's own error when it refuses the model, and ``StoreError`` when the store cannot be read or
    ///   written.
    func migrate(_ database: Database, configuration: StoreConfiguration) throws -> StoreModel
}
