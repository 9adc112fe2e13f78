package import TributaryChanges
package import TributaryModel

extension Reader {
    /// The visible object, nil when there is none.
    ///
    /// `rootEntity` is the table.
    package func row(_ id: UniqueID, rootEntity: String) throws -> Row? { fatalError("stub") }

    /// Visible objects that are at the other end of a to-many relationship (ordered ones in their order) or of the
    /// derived side of a one-to-one.
    package func related(to id: UniqueID, entity: Entity, slot: Int) throws -> [ManagedObjectID] {
        fatalError("stub")
    }

    package func rows(_ query: FetchQuery) throws -> [Row] { fatalError("stub") }
    package func ids(_ query: FetchQuery) throws -> [ManagedObjectID] { fatalError("stub") }
    package func count(_ query: FetchQuery) throws -> Int { fatalError("stub") }
}
