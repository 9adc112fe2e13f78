import Foundation
import TestSupport
import Testing

/// The README's Swift example is the file `Employee.swift` of this folder, and does what it says.
@Suite struct LibraryExampleTests {
    @Test func isTheFileThatIsCompiledHere() throws {
        let file = PackageFolder.path("Tests/ReadmeTests/Employee.swift")
        #expect(try Readme.example("swift") == String(contentsOfFile: file, encoding: .utf8))
    }

    @Test func itsModelIsTheOneThatTheBuildReads() throws {
        let file = PackageFolder.path("Tests/ReadmeTests/Till.yaml")
        #expect(try Readme.example("yaml") == String(contentsOfFile: file, encoding: .utf8))
    }

    @Test func hires() async throws {
        let folder = try TemporaryFolder("readme")
        let first = try await hire("Ann", store: folder.path("store.sqlite"))
        #expect(first == ["Ann"])
        let second = try await hire("Bob", store: folder.path("store.sqlite"))
        #expect(second == ["Ann"])
    }
}
