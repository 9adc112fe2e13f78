import TributaryChanges
import TributaryModel

/// Where the properties of an entity lie.
final class EntityLayout: Sendable {
    /// Where a property lies, for writing.
    enum Place: Sendable, Hashable {
        /// A register in the object's own row.
        case column(Int)
        /// The last-sorted side of a one-to-one: writes go to the register `column` of `table`; the first value is the own
        /// column that shows it.
        case inverseColumn(Int, table: Int, column: Int)
        /// A to-many whose inverse is the to-one register `column` of `table`; `order` is the link table that keeps the
        /// positions of an ordered one.
        case inverse(table: Int, column: Int, order: Int?)
        /// Pairs in a link table; `ownsPairs` when the object is the pairs' source.
        case links(Int, ownsPairs: Bool)
        /// Transient: not stored.
        case none
    }

    let entity: Entity
    /// Names the concrete entity in `_entity`; kept for the life of the store.
    let code: Int64
    /// The place of the root entity's table in the list of tables.
    let table: Int
    /// By slot.
    let places: [Place]
    /// For each column of the table, whether it is a register of this entity.
    let holds: [Bool]
    /// For each column of the table, what an object of this entity shows that has no register for it; null for columns
    /// of other entities.
    ///
    /// Sub-entities that share a column need not share its default.
    let defaults: [PropertyValue]

    init(
        entity: Entity,
        code: Int64,
        table: Int,
        places: [Place],
        holds: [Bool],
        defaults: [PropertyValue]
    ) {
        self.entity = entity
        self.code = code
        self.table = table
        self.places = places
        self.holds = holds
        self.defaults = defaults
    }

    /// The column of each slot, nil for what has none (transient attributes, to-many relationships).
    var slotColumns: [Int?] {
        places.map { place in
            switch place {
            case .column(let column), .inverseColumn(let column, _, _): column
            case .inverse, .links, .none: nil
            }
        }
    }
}
