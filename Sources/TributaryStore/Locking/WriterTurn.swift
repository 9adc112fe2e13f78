import GRDB

/// The held write lock, with no transaction open.
///
/// Valid only inside the closure that it is given to.
package struct WriterTurn {
    let store: Store
    let database: Database
}
