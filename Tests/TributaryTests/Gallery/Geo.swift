import Tributary

struct Geo: CompositeValue {
    var latitude: Double
    var longitude: Double

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
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
