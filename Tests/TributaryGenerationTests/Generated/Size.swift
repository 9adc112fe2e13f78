// Made by `tributaryctl model generate Archive.yaml`; changes are lost when it runs again.
// swift-format-ignore-file

import Tributary

/// The composite `Size`.
struct Size: CompositeValue {
    /// The attribute `width`.
    var width: Double
    /// The attribute `height`.
    var height: Double?
    /// The attribute `unit`.
    var unit: String?

    /// A value of its parts.
    init(
        width: Double,
        height: Double? = nil,
        unit: String? = nil
    ) {
        self.width = width
        self.height = height
        self.unit = unit
    }

    /// As `CompositeValue` asks.
    init(_ fields: CompositeFields) {
        self.width = fields["width", .double]
        self.height = fields["height", .double]
        self.unit = fields["unit", .string]
    }

    /// As `CompositeValue` asks.
    var compositeFields: CompositeFields {
        var fields = CompositeFields()
        fields.set("width", to: self.width)
        fields.set("height", to: self.height)
        fields.set("unit", to: self.unit)
        return fields
    }
}
