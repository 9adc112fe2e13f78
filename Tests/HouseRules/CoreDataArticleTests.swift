import Foundation
import TestSupport
import Testing

/// The table for those who come from Core Data names what there is.
@Suite struct CoreDataArticleTests {
    /// The fault in the cell of our symbols; nil without one.
    private static func complaint(_ cell: String, _ reason: String, _ members: [String: Set<String>]) -> String? {
        if cell == "—" { return reason.isEmpty ? "says nothing of why" : nil }
        let symbols = cell.matches(of: /`([^`]+)`/).map { String($0.1) }
        guard !symbols.isEmpty else { return "names nothing" }
        for symbol in symbols {
            let parts = symbol.split(separator: "(")[0].split(separator: ".").map(String.init)
            guard let known = members[parts[0]] else { return "\(symbol): there is no type \(parts[0])" }
            guard parts.count < 2 || known.contains(parts[1]) else { return "\(symbol): there is no \(parts[1])" }
        }
        return nil
    }

    @Test func eachSymbolOfOursExists() throws {
        let members = try PublicMembers.byType()
        let rows = try Article("ComingFromCoreData").rows()
        #expect(rows.count >= 150)
        for row in rows {
            let complaint = row.count == 3 ? Self.complaint(row[1], row[2], members) : "has \(row.count) cells"
            #expect(complaint == nil, "\(row[0]): \(complaint ?? "")")
        }
    }

    @Test(arguments: [
        ("`Nothing`", ""), ("`ManagedObject.nothing`", ""), ("—", ""), ("text", "text"),
        ("`ManagedObject`, `FetchRequest.nothing()`", ""),
    ])
    func aWrongSampleIsFound(_ cell: String, _ reason: String) throws {
        #expect(Self.complaint(cell, reason, try PublicMembers.byType()) != nil)
    }
}
