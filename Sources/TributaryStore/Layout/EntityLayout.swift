package import TributaryChanges
package import TributaryModel

/// The storage of an entity's properties.
package final class EntityLayout: Sendable {
    /// The storage of one property, for writes.
    package enum Place: Sendable, Hashable {
        case column(Int)
        /// The last-sorted side of a one-to-one relationship.
        ///
        /// Writes go to the register `column` of `table`; the first value is the object's own column that shows the
        /// owner.
        case inverseColumn(Int, table: Int, column: Int)
        /// A to-many relationship whose inverse is the to-one register `column` of `table`.
        ///
        /// `order` is the link table that keeps the positions of an ordered relationship.
        case inverse(table: Int, column: Int, order: Int?)
        /// Pairs in a link table; `ownsPairs` is true when the object is the source of the pairs.
        case links(Int, ownsPairs: Bool)
        /// Transient: not stored.
        case none
    }

    package let entity: Entity
    /// The number of the concrete entity in `_entity`; kept for the life of the store.
    package let code: Int64
    /// The index of the root entity's table in the list of tables.
    package let table: Int
    /// The storage of each property, indexed by property index.
    package let places: [Place]
    /// For each column of the table, whether it is a register of this entity.
    package let holds: [Bool]
    /// The value that each column of the table shows for an object of this entity without a write; null for columns of
    /// other entities.
    ///
    /// Sub-entities that share a column may have different defaults for it.
    package let defaults: [PropertyValue]

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

    /// The column of each property index; nil for a property index without a column (transient attributes, to-many
    /// relationships).
    package var propertyColumns: [Int?] {
        places.map { place in
            switch place {
            case .column(let column), .inverseColumn(let column, _, _): column
            case .inverse, .links, .none: nil
            }
        }
    }
}
