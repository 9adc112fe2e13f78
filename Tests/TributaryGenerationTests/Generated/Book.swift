// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Foundation
import Tributary

/// An object of the entity `Book`.
final class Book: Item {
    /// The entity's name in the model.
    override class var entityName: String {
        "Book"
    }

    /// The key of `isbn`.
    static let isbn = Field<String?>("isbn")
    /// The key of `pages`.
    static let pages = Field<Int32>("pages")
    /// The key of `price`.
    static let price = Field<Decimal?>("price")
    /// The key of `printed`.
    static let printed = Field<Date?>("printed")
    /// The key of `cover`.
    static let cover = Field<Data?>("cover")
    /// The key of `homepage`.
    static let homepage = Field<URL?>("homepage")
    /// The key of `code`.
    static let code = Field<UUID?>("code")
    /// The key of `size`.
    static let size = Field<Size?>("size")
    /// The key of `weight`.
    static let weight = Field<Double?>("weight")
    /// The key of `note`.
    static let note = Field<String?>("note")
    /// The key of `extra`.
    static let extra = Field<Data?>("extra")
    /// The key of `chapters`.
    static let chapters = ToMany<Chapter>("chapters")

    /// The keys that the class declares, for the container to check against the model.
    override class var declaredFields: [any DeclaredField] {
        [
            isbn,
            pages,
            price,
            printed,
            cover,
            homepage,
            code,
            size,
            weight,
            note,
            extra,
            chapters,
        ]
    }

    /// The attribute `isbn`.
    var isbn: String? {
        get { self[Book.isbn] }
        set { self[Book.isbn] = newValue }
    }

    /// The attribute `pages`.
    var pages: Int32 {
        get { self[Book.pages] }
        set { self[Book.pages] = newValue }
    }

    /// The attribute `price`.
    var price: Decimal? {
        get { self[Book.price] }
        set { self[Book.price] = newValue }
    }

    /// The attribute `printed`.
    var printed: Date? {
        get { self[Book.printed] }
        set { self[Book.printed] = newValue }
    }

    /// The attribute `cover`.
    var cover: Data? {
        get { self[Book.cover] }
        set { self[Book.cover] = newValue }
    }

    /// The attribute `homepage`.
    var homepage: URL? {
        get { self[Book.homepage] }
        set { self[Book.homepage] = newValue }
    }

    /// The attribute `code`.
    var code: UUID? {
        get { self[Book.code] }
        set { self[Book.code] = newValue }
    }

    /// The attribute `size`.
    var size: Size? {
        get { self[Book.size] }
        set { self[Book.size] = newValue }
    }

    /// The attribute `weight`.
    var weight: Double? {
        get { self[Book.weight] }
        set { self[Book.weight] = newValue }
    }

    /// The attribute `note`, which is never stored.
    var note: String? {
        get { self[Book.note] }
        set { self[Book.note] = newValue }
    }

    /// The attribute `extra`.
    var extra: Data? {
        get { self[Book.extra] }
        set { self[Book.extra] = newValue }
    }

    /// The relationship `chapters`, in its order.
    var chapters: [Chapter] {
        get { self[Book.chapters] }
        set { self[Book.chapters] = newValue }
        _modify { yield &self[Book.chapters] }
    }

    /// The values of an object, which may cross contexts and processes.
    struct Snapshot: TypedSnapshot {
        /// Whose values they are.
        var objectID: ManagedObjectID
        /// The attribute `title`.
        var title: String
        /// The attribute `class`.
        var `class`: String?
        /// The attribute `isDeleted`.
        var isDeleted_: Bool
        /// The object that the relationship `shelf` leads to.
        var shelfID: ManagedObjectID?
        /// The attribute `isbn`.
        var isbn: String?
        /// The attribute `pages`.
        var pages: Int32
        /// The attribute `price`.
        var price: Decimal?
        /// The attribute `printed`.
        var printed: Date?
        /// The attribute `cover`.
        var cover: Data?
        /// The attribute `homepage`.
        var homepage: URL?
        /// The attribute `code`.
        var code: UUID?
        /// The attribute `size`.
        var size: Size?
        /// The attribute `weight`.
        var weight: Double?
        /// The attribute `note`.
        var note: String?
        /// The attribute `extra`.
        var extra: Data?

        /// The values of the object now.
        init(_ object: Book) {
            objectID = object.objectID
            self.title = object.title
            self.`class` = object.`class`
            self.isDeleted_ = object.isDeleted_
            self.shelfID = object[idOf: Book.shelf]
            self.isbn = object.isbn
            self.pages = object.pages
            self.price = object.price
            self.printed = object.printed
            self.cover = object.cover
            self.homepage = object.homepage
            self.code = object.code
            self.size = object.size
            self.weight = object.weight
            self.note = object.note
            self.extra = object.extra
        }

        /// Sets the object's attributes and to-one relationships; derived ones stay.
        func write(to object: Book) {
            object.title = self.title
            object.`class` = self.`class`
            object.isDeleted_ = self.isDeleted_
            object[idOf: Book.shelf] = self.shelfID
            object.isbn = self.isbn
            object.pages = self.pages
            object.price = self.price
            object.printed = self.printed
            object.cover = self.cover
            object.homepage = self.homepage
            object.code = self.code
            object.size = self.size
            object.weight = self.weight
            object.note = self.note
            object.extra = self.extra
        }

        /// The model's name of the property that a key path leads to.
        static func propertyName(of path: PartialKeyPath<Self>) -> String? {
            switch path {
            case \Self.title: "title"
            case \Self.`class`: "class"
            case \Self.isDeleted_: "isDeleted"
            case \Self.shelfID: "shelf"
            case \Self.isbn: "isbn"
            case \Self.pages: "pages"
            case \Self.price: "price"
            case \Self.printed: "printed"
            case \Self.cover: "cover"
            case \Self.homepage: "homepage"
            case \Self.code: "code"
            case \Self.size: "size"
            case \Self.weight: "weight"
            case \Self.note: "note"
            case \Self.extra: "extra"
            default: nil
            }
        }
    }
}
