import TestSupport
import TributaryChanges
import TributaryModel
import TributaryStore

/// The model of the log folder's tests, and changes of its employees.
enum SyncModel {
    static func make(hasExternalPhotos: Bool = false) throws -> Model {
        let photo = "photo: {type: Binary, optional: true, external: \(hasExternalPhotos)}"
        return try Model(yaml: EmployeeModel.text(adding: photo))
    }

    static func insert(_ number: UInt64, name: String = "Ann") -> Change {
        Change(
            entity: "Employee",
            id: employee(number),
            operation: .insert([PropertyWrite(name: "name", value: .string(name))])
        )
    }

    static func update(_ number: UInt64, _ key: String, _ value: JSONValue) -> Change {
        Change(
            entity: "Employee",
            id: employee(number),
            operation: .update([PropertyWrite(name: key, value: value)])
        )
    }

    static func employee(_ number: UInt64) -> UniqueID { UniqueID(high: 0x0190_F1A2_0000_7000, low: 1 << 63 | number) }

    /// The numbers of the visible employees.
    static func employees(_ numbers: ClosedRange<UInt64>, in store: Store) throws -> [UInt64] {
        try store.read { reader in
            try numbers.filter { try reader.row(employee($0), rootEntity: "Employee") != nil }
        }
    }
}
