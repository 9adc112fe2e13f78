import TestSupport
import Testing

/// The documentation builds: each link in articles and docstrings leads somewhere.
@Suite(.enabled(if: DocumentationBuild() != nil, "the toolchain has no docc"))
struct DocumentationTests {
    @Test(
        .enabled(if: LongProofs.isOn, "with TRIBUTARY_LONG_PROOFS"),
        .timeLimit(.minutes(30)),
        arguments: DocumentationBuild.modules
    )
    func buildsWithoutAWarning(_ module: String) async throws {
        let build = try #require(DocumentationBuild())
        let complaints = try await build.complaints(about: module)
        #expect(complaints.isEmpty, "\(complaints)")
    }
}
