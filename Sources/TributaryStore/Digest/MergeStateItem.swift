import TributaryChanges
import TributaryModel

/// One part of the canonical merge state.
enum MergeStateItem {
    case object(Object)
    case pair(Pair)
    case counter(Counter)

    /// An object with its registers that no deletion supersedes; counters are items of their own.
    struct Object {
        var table: TableLayout
        var id: UniqueID
        /// The concrete entity; nil for an object that is not live.
        var entity: EntityLayout?
        /// The version number of the greatest insertion of a live object.
        var inserted: Int64?
        var deleted: Int64?
        /// The visible object that a shadow reads as, when the values that readers see were asked for.
        var representative: UniqueID?
        var columns: [Column] = []
    }

    struct Column {
        var index: Int
        /// The value that readers see, when it was asked for.
        var shown: PropertyValue?
        var register: Register<Int64, PropertyValue>?
    }

    /// A pair of a many-to-many relationship, linked or not, or the position of a pair.
    struct Pair {
        var link: LinkLayout
        var source: UniqueID
        var target: UniqueID
        var isLinked: Bool
        var version: Int64
        var position: String?
        var isShown: Bool
    }

    struct Counter {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
        var writer: String
        var total: PropertyValue
    }
}
