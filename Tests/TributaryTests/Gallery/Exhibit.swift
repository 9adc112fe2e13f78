import Foundation
import Tributary

/// An attribute of every type that a model knows.
class Exhibit: ManagedObject {
    override class var entityName: String { "Exhibit" }
    static let title = Field<String?>("title")
    static let small = Field<Int16?>("small")
    static let medium = Field<Int32?>("medium")
    static let large = Field<Int64?>("large")
    static let isShown = Field<Bool?>("shown")
    static let seen = Field<Date?>("seen")
    static let raw = Field<Data?>("raw")
    static let photo = Field<Data?>("photo")
    static let shape = TransformableField<Shape>(registered: "shape")
    static let ratio = Field<Double?>("ratio")
    static let share = Field<Float?>("share")
    static let price = Field<Decimal?>("price")
    static let code = Field<UUID?>("code")
    static let home = Field<URL?>("home")
    static let address = Field<Address?>("address")
    static let mood = Field<PropertyValue>("mood")
    static let next = ToOne<Exhibit>("next")
    static let previous = ToMany<Exhibit>("previous")

    var title: String? {
        get { self[Exhibit.title] }
        set { self[Exhibit.title] = newValue }
    }
    var small: Int16? {
        get { self[Exhibit.small] }
        set { self[Exhibit.small] = newValue }
    }
    var medium: Int32? {
        get { self[Exhibit.medium] }
        set { self[Exhibit.medium] = newValue }
    }
    var large: Int64? {
        get { self[Exhibit.large] }
        set { self[Exhibit.large] = newValue }
    }
    var isShown: Bool? {
        get { self[Exhibit.isShown] }
        set { self[Exhibit.isShown] = newValue }
    }
    var seen: Date? {
        get { self[Exhibit.seen] }
        set { self[Exhibit.seen] = newValue }
    }
    var raw: Data? {
        get { self[Exhibit.raw] }
        set { self[Exhibit.raw] = newValue }
    }
    var photo: Data? {
        get { self[Exhibit.photo] }
        set { self[Exhibit.photo] = newValue }
    }
    var ratio: Double? {
        get { self[Exhibit.ratio] }
        set { self[Exhibit.ratio] = newValue }
    }
    var share: Float? {
        get { self[Exhibit.share] }
        set { self[Exhibit.share] = newValue }
    }
    var price: Decimal? {
        get { self[Exhibit.price] }
        set { self[Exhibit.price] = newValue }
    }
    var code: UUID? {
        get { self[Exhibit.code] }
        set { self[Exhibit.code] = newValue }
    }
    var home: URL? {
        get { self[Exhibit.home] }
        set { self[Exhibit.home] = newValue }
    }
    var address: Address? {
        get { self[Exhibit.address] }
        set { self[Exhibit.address] = newValue }
    }
    var next: Exhibit? {
        get { self[Exhibit.next] }
        set { self[Exhibit.next] = newValue }
    }
    var previous: Set<Exhibit> {
        get { Set(self[Exhibit.previous]) }
        set { self[Exhibit.previous] = Array(newValue) }
    }

    var label: String { (title ?? "") + "!" }
    var sum: Int64 { (large ?? 0) + Int64(medium ?? 0) }
}

/// A composite with members of many types, one of which has another name in the model.
struct Address {
    var street: String?
    var number: Int32?
    var isOpen: Bool?
    var since: Date?
    var code: UUID?
    var rent: Decimal?
    var geo: Geo?

    var line: String { "\(street ?? "") \(number ?? 0)" }
}

extension Address: CompositeValue {
    init(_ fields: CompositeFields) {
        street = fields["street", .string]
        number = fields["number", .integer32]
        isOpen = fields["open", .boolean]
        since = fields["since", .date]
        code = fields["code", .uuid]
        rent = fields["rent", .decimal]
        geo = fields["geo", .composite]
    }
    var compositeFields: CompositeFields {
        var fields = CompositeFields()
        fields.set("street", to: street)
        fields.set("number", to: number)
        fields.set("open", to: isOpen)
        fields.set("since", to: since)
        fields.set("code", to: code)
        fields.set("rent", to: rent)
        fields.set("geo", to: geo)
        return fields
    }
}

struct Geo {
    var latitude: Double
    var longitude: Double
}

extension Geo: CompositeValue {
    init(_ fields: CompositeFields) {
        latitude = fields["latitude", .double]
        longitude = fields["longitude", .double]
    }
    var compositeFields: CompositeFields {
        var fields = CompositeFields()
        fields.set("latitude", to: latitude)
        fields.set("longitude", to: longitude)
        return fields
    }
}

struct Shape: Hashable, Sendable {
    var corners: Int
}

/// A shape as one byte.
struct ShapeTransformer: AttributeTransforming {
    struct NoShape: Error {}

    func bytes(of value: Shape) throws -> [UInt8] { [UInt8(value.corners)] }

    func value(of bytes: [UInt8]) throws -> Shape {
        guard bytes.count == 1 else { throw NoShape() }
        return Shape(corners: Int(bytes[0]))
    }
}
