import Foundation
import TestSupport
import Testing

/// The symbols of the table "Coming from Core Data" are public and have the labels that it prints.
@Suite(.enabled(if: DocumentationBuild() != nil, "the toolchain extracts no symbols"))
struct CoreDataTableTests {
    @Test(.timeLimit(.minutes(30))) func namesWhatIsPublic() async throws {
        let build = try #require(DocumentationBuild())
        var symbols: Set<String> = []
        for module in ["Tributary", "TributaryInference", "TributaryModel", "TributaryChanges"] {
            symbols.formUnion(try await build.symbols(of: module))
        }
        #expect(symbols.contains("ManagedObject.link(_:forKey:)"))
        // A name without parentheses stands for all functions of that name.
        let names = Set(symbols.map { String($0.prefix { $0 != "(" }) })
        let cells = try Article("ComingFromCoreData").rows().map { $0[1] }
        let missing = cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }.filter { symbol in
            symbol.contains("(") ? !symbols.contains(symbol) : !names.contains(symbol)
        }
        #expect(missing.isEmpty)
    }
}
