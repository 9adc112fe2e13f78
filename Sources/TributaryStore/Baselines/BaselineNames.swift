import TributaryModel

/// The names under which a baseline writes columns and link tables.
///
/// Where several entities have a property, the one nearest to the root stands for all, and of several the first by name: the
/// text is the same in every store with the model, and another version of the model most probably has the entity too.
struct BaselineNames {
    private var columns: [StoreModel.ColumnIndex: (entity: String, property: String)] = [:]
    private var pairs: [Int: (entity: String, property: String)] = [:]

    init(_ layout: StoreModel) {
        let sorted = layout.entities.sorted {
            ($0.entity.ancestors.count, $0.entity.name) < ($1.entity.ancestors.count, $1.entity.name)
        }
        for entity in sorted {
            for (place, property) in zip(entity.places, entity.entity.properties) {
                let name = (entity.entity.name, property.name)
                switch place {
                case .column(let column):
                    let index = StoreModel.ColumnIndex(table: entity.table, column: column)
                    if columns[index] == nil { columns[index] = name }
                case .links(let link, true), .inverse(_, _, .some(let link)):
                    if pairs[link] == nil { pairs[link] = name }
                case .links, .inverse, .inverseColumn, .none: break
                }
            }
        }
    }

    /// The entity and the property that a column keeps; nil for columns that no entity of the model has any more.
    func property(of column: StoreModel.ColumnIndex) -> (entity: String, property: String)? { columns[column] }

    /// The entity and the relationship whose pairs a link table keeps, seen from the source.
    func relationship(of link: LinkLayout) -> (entity: String, property: String)? { pairs[link.index] }
}
