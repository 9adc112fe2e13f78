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
        Tag.self,
    ]
    /// The version of the model that the classes were made from.
    static let version = "3"
    /// The hash of the model that the classes were made from; that of a loaded model tells whether they fit.
    static let versionHash = "d61d437b4a2c432ebd722e7a4c785fdabbd0eb810eeda8f2260d064ec64e1f3e"
}
