// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// The classes of the model, for `PersistentContainer`.
enum ArchiveModel {
    /// A class for each entity.
    static let classes: [ManagedObject.Type] = [
        Book.self,
        Chapter.self,
        Item.self,
        Shelf.self,
    ]
    /// The version of the model that the classes were made from.
    static let version = "3"
    /// The hash of the model that the classes were made from; they fit a loaded model with this hash.
    static let versionHash = "f7d8cf751d0f9bc9a248426396c8cfc903cd164487c8bfd85e3c237779654091"
}
