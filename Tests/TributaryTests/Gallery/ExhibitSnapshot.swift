import Foundation
import Tributary

struct ExhibitSnapshot: TypedSnapshot {
    var objectID: ManagedObjectID
    var title: String?
    var large: Int64?
    var address: Address?
    var nextID: ManagedObjectID?

    init(_ exhibit: Exhibit) {
        objectID = exhibit.objectID
        title = exhibit.title
        large = exhibit.large
        address = exhibit.address
        nextID = exhibit[idOf: Exhibit.next]
    }

    func write(to exhibit: Exhibit) {
        exhibit.title = title
        exhibit.large = large
        exhibit.address = address
        exhibit[idOf: Exhibit.next] = nextID
    }

    static func propertyName(of path: PartialKeyPath<Self>) -> String? {
        switch path {
        case \Self.title: "title"
        case \Self.large: "large"
        case \Self.address: "address"
        case \Self.nextID: "next"
        default: nil
        }
    }
}
