import TributaryGeneration
import TributaryModel

/// The model of the checked-in classes: inheritance, each kind of relationship, a composite, names invalid in Swift.
enum ArchiveText {
    static let yaml = """
        version: 3
        entities:
          Item:
            abstract: true
            class: .Item
            attributes: {title: String, class: String?, isDeleted: {type: Boolean, default: false}}
            relationships: {shelf: {to: Shelf?, inverse: items}}
          Book:
            parent: Item
            attributes:
              isbn: String?
              pages: Integer 32
              price: Decimal?
              printed: Date?
              cover: Binary?
              homepage: URI?
              code: UUID?
              size: {composite: Size, optional: true}
              weight: {type: Double, optional: true}
              note: {type: String, optional: true, transient: true}
              extra: {type: Transformable, optional: true, class: Extra}
            relationships: {chapters: {to: Chapter, many: true, ordered: true, inverse: books}}
          Chapter:
            attributes: {name: String}
            relationships: {books: {to: Book, many: true, inverse: chapters}}
          Shelf:
            attributes:
              number: Integer 16
              id: Integer 64?
              loans: {type: Integer 16, merge: counter, default: 0}
              visits: {type: Integer 32, merge: counter, optional: true}
            relationships: {items: {to: Item, many: true, inverse: shelf}}
        composites: {Size: {width: Double, height: Double?, unit: String?}}
        """

    static func generator() throws -> ModelGenerator {
        ModelGenerator(
            try Model(yaml: yaml),
            options: GeneratorOptions(
                listName: "ArchiveModel",
                command: "tributaryctl model generate Archive.yaml"
            )
        )
    }
}
