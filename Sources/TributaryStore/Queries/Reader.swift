import GRDB

/// Reads of one state of the store.
///
/// Valid only inside the closure that it is given to. What it reads is in its extensions: objects, positions, history,
/// exports and the digest of the merge state.
package struct Reader {
    let database: Database
    let context: StoreContext
}
