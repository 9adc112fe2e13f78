import CSQLite
import GRDB

extension Database {
    typealias SQLValues = UnsafeMutablePointer<OpaquePointer?>
    typealias SQLCall = @convention(c) (OpaquePointer?, Int32, SQLValues?) -> Void
    typealias SQLResult = @convention(c) (OpaquePointer?) -> Void

    func addFunction(_ name: String, arguments: Int32, _ call: @escaping SQLCall) throws {
        try add(name, arguments, call: call)
    }

    func addAggregate(_ name: String, step: @escaping SQLCall, finish: @escaping SQLResult) throws {
        try add(name, 1, step: step, finish: finish)
    }

    private func add(
        _ name: String,
        _ arguments: Int32,
        call: SQLCall? = nil,
        step: SQLCall? = nil,
        finish: SQLResult? = nil
    ) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(sqliteConnection, name, arguments, flags, nil, call, step, finish, nil)
        guard code == SQLITE_OK else { throw StoreError.database(of: sqliteConnection) }
    }
}
