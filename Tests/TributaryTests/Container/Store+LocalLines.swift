import TributaryStore

extension Store {
    func localLines() throws -> String {
        try read { reader in
            var lines = ""
            try reader.outbox.localTransactions(from: 1) { transaction in
                lines += String(decoding: transaction.lines, as: UTF8.self)
                return true
            }
            return lines
        }
    }
}
