import Foundation
import Tributary

/// A drawing: its picture lies outside of the row when it is large, its place is a composite, its tags are a Swift value.
final class Drawing: ManagedObject {
    override class var entityName: String { "Drawing" }
    static let title = Field<String>("title")
    static let picture = Field<Data?>("picture")
    static let place = Field<Place?>("place")
    static let tags = TransformableField<[String]>("tags")
    override class var declaredFields: [any DeclaredField] { [title, picture, place, tags] }

    /// Where it hangs; `tributaryctl model generate` writes such a type for each composite of a model.
    struct Place: CompositeValue {
        var room: String?
        var wall: Int32?

        init(room: String?, wall: Int32?) { (self.room, self.wall) = (room, wall) }

        init(_ fields: CompositeFields) {
            room = fields["room", .string]
            wall = fields["wall", .integer32]
        }

        var compositeFields: CompositeFields {
            var fields = CompositeFields()
            fields.set("room", to: room)
            fields.set("wall", to: wall)
            return fields
        }
    }

    var title: String {
        get { self[Drawing.title] }
        set { self[Drawing.title] = newValue }
    }
    var picture: Data? {
        get { self[Drawing.picture] }
        set { self[Drawing.picture] = newValue }
    }
    var place: Place? {
        get { self[Drawing.place] }
        set { self[Drawing.place] = newValue }
    }
    var tags: [String] {
        get { self[Drawing.tags] ?? [] }
        set { self[Drawing.tags] = newValue }
    }
}
