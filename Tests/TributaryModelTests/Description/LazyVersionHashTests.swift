import Testing

@testable import TributaryModel

/// The hash of a model is computed once for all copies, and is separate for each model.
@Suite struct LazyVersionHashTests {
    @Test func copiesShareWhatOneHasComputed() throws {
        let model = try Model(yaml: "version: \"1\"\nentities: {A: {attributes: {x: String}}}")
        var copy = model
        #expect(!model.knownVersionHash.isKnown)
        let hash = copy.versionHash
        #expect(model.knownVersionHash.isKnown)
        // The hash does not cover what a copy can change.
        copy.earlierVersions = [try Model(version: "0", entities: [])]
        #expect(copy.versionHash == hash)
        #expect(model.succeeding(copy.earlierVersions).knownVersionHash.isKnown)
        #expect(model.versionHash == hash)
    }

    @Test func eachModelThatIsMadeHasItsOwn() throws {
        let first = try Model(yaml: "version: \"1\"\nentities: {A: {attributes: {x: String}}}")
        _ = first.versionHash
        let second = try Model(yaml: "version: \"1\"\nentities: {A: {attributes: {x: Date}}}")
        #expect(!second.knownVersionHash.isKnown)
        #expect(second.versionHash != first.versionHash)
        #expect(try Model(archive: first.archive).versionHash == first.versionHash)
    }
}
