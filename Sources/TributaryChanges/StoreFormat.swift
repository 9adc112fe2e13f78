/// What tells a store from other files of SQLite, in the header of its file.
package enum StoreFormat {
    /// "TRIB", the application ID.
    package static let applicationID: Int32 = 0x5452_4942
    /// The version of the layout; it grows with each change that earlier code cannot read.
    ///
    /// Versions before 6 were never released.
    package static let version: Int32 = 6
}
