import Testing
import TributaryChanges
import TributaryModel

/// A store that a later version of the program has made may have types and rules that are not known here.
@Suite struct UnknownArchiveTests {
    private static let archive = """
        {"version":"1","entities":[{"name":"Meter","attributes":[{"name":"peak","type":"Integer 64","merge":"max"}],\
        "relationships":[{"name":"site","to":"Meter","optional":true,"delete":"Nullify"}]}]}
        """

    @Test func theSampleIsReadable() throws {
        let model = try Model(archive: Self.archive)
        #expect(model.entity(named: "Meter")?.attributes.first?.mergeRule == .max)
    }

    @Test(arguments: [
        ("\"max\"", "\"longest\"", "'peak' has the merge 'longest'"),
        ("\"Integer 64\"", "\"Integer 128\"", "'peak' has the type 'Integer 128'"),
        ("\"Nullify\"", "\"Archive\"", "'site' has the delete 'Archive'"),
    ])
    func anUnknownTypeOrRuleIsAnError(_ known: String, _ unknown: String, _ message: String) throws {
        let archive = Self.archive.split(separator: known, omittingEmptySubsequences: false).joined(separator: unknown)
        let error = try #require(throws: ModelError.self) { try Model(archive: archive) }
        #expect("\(error)".contains(message), "\(error)")
    }
}
