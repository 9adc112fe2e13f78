import Foundation
import Tributary

/// A composite with members of many types, one of which has another name in the model.
struct Address: CompositeValue {
    var street: String?
    var number: Int32?
    var isOpen: Bool?
    var since: Date?
    var code: UUID?
    var rent: Decimal?
    var geo: Geo?

    init(
        street: String? = nil,
        number: Int32? = nil,
        isOpen: Bool? = nil,
        since: Date? = nil,
        code: UUID? = nil,
        rent: Decimal? = nil,
        geo: Geo? = nil
    ) {
        self.street = street
        self.number = number
        self.isOpen = isOpen
        self.since = since
        self.code = code
        self.rent = rent
        self.geo = geo
    }
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

    var line: String { "\(street ?? "") \(number ?? 0)" }
}
