package import GRDB
import TributaryChanges

package struct Setting<Value> {
    package let key: String
    package let read: (String) -> Value?
    let text: (Value) -> String

    package init(_ key: String, read: @escaping (String) -> Value?, text: @escaping (Value) -> String) {
        (self.key, self.read, self.text) = (key, read, text)
    }
}

extension Setting where Value: LosslessStringConvertible {
    package init(_ key: String) { self.init(key, read: { Value($0) }, text: \.description) }
}

package struct SettingTable {
    private let db: Database

    package init(_ db: Database) {
        self.db = db
    }

    package func value<Value>(of setting: Setting<Value>) throws -> Value? {
        let select = try BoundStatement(db, "SELECT value FROM tributary_setting WHERE key = ?1")
        select.bind(1, setting.key)
        return try select.first { $0.text(0) }.flatMap(setting.read)
    }

    package func set<Value>(_ setting: Setting<Value>, to value: Value?) throws {
        let statement = try BoundStatement(
            db,
            value == nil
                ? "DELETE FROM tributary_setting WHERE key = ?1"
                : "INSERT OR REPLACE INTO tributary_setting(key, value) VALUES (?1, ?2)"
        )
        statement.bind(1, setting.key)
        if let value { statement.bind(2, setting.text(value)) }
        try statement.run()
    }

    package func texts(beginningWith prefix: String) throws -> [(key: String, text: String)] {
        let select = try BoundStatement(
            db,
            "SELECT key, value FROM tributary_setting WHERE key >= ?1 AND substr(key, 1, ?2) = ?1 ORDER BY key"
        )
        select.bindAll(prefix, prefix.count)
        return try select.all { (key: $0.text(0), text: $0.text(1)) }
    }
}
