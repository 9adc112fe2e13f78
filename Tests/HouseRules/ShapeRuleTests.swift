import Testing

/// Each count is the right one for a sample, and a rule tells what is above its limit and what its list need not have.
@Suite struct ShapeRuleTests {
    private func rule(
        _ limit: Int,
        _ exceptions: [ShapeException] = [],
        _ counts: @escaping @Sendable (SourceTree) -> [ShapeCount]
    ) -> ShapeRule {
        ShapeRule(unit: "things", limit: limit, exceptions: exceptions, counts: counts)
    }

    private func values(_ counts: [ShapeCount]) -> [String: Int] {
        Dictionary(counts.map { ($0.subject, $0.value) }) { first, _ in first }
    }

    @Test func filesOfAFolderAreCountedWithoutThoseOfItsFolders() {
        let tree = SourceTree(["Sources/A/B.swift": "", "Sources/A/C.swift": "", "Sources/A/D/E.swift": ""])
        #expect(values(FolderSizes.counts(in: tree)) == ["Sources/A": 2, "Sources/A/D": 1])
    }

    @Test func storedPropertiesAreThoseWithAPlaceInMemory() {
        let text = """
            public final class Box: Sendable {
                static let shared = Box()
                private(set) var first = 1, text = "{"
                @exclusivity(unchecked) var second: [Int] = []
                let closure: (Int) -> Void = { _ in }
                var observed = 0 {
                    didSet { first += 1 }
                }
                var computed: Int { first }
                var longer: Int {
                    let local = 1
                    return local
                }
                struct Inner {
                    var one: Int
                    let two: Int
                }
            }
            extension Box {
                var third: Int { 3 }
            }
            enum Kind {
                case a
                var name: String { "a" }
            }
            """
        let counts = StoredProperties.counts(in: SourceTree(["Sources/A/Box.swift": text, "Tests/A/B.swift": text]))
        #expect(values(counts) == ["A.Box": 4, "A.Box.Inner": 2])
    }

    @Test func aTypeIsCountedInEachFileOfItsModule() {
        let tree = SourceTree([
            "Sources/A/Box.swift": "struct Box {}\nextension Box {}",
            "Sources/A/C/Box+Verb.swift": "extension Box.Inner {}",
            "Sources/B/Box+Verb.swift": "extension Box {}",
        ])
        #expect(values(TypeSpread.counts(in: tree)) == ["A.Box": 2, "B.Box": 1])
    }

    @Test func aFunctionIsCountedFromItsNameToItsBrace() {
        let text = """
            protocol P {
                func none()
            }
            struct A: P {
                let x: Int
                init(
                    x: Int
                ) {
                    self.x = x
                }
                func none() {
                    func inner() {
                    }
                }
            }
            """
        let counts = FunctionLengths.counts(in: SourceTree(["Sources/A/A.swift": text]))
        #expect(
            values(counts) == [
                "Sources/A/A.swift init": 5, "Sources/A/A.swift none": 4, "Sources/A/A.swift inner": 2,
            ]
        )
    }

    @Test func aListMayOnlyShrink() {
        let tree = SourceTree(["Sources/A/B.swift": "", "Sources/A/C.swift": "", "Sources/A/D.swift": ""])
        func found(_ limit: Int, _ allowed: Int?) -> [String] {
            let exceptions = allowed.map { [ShapeException("Sources/A", $0, "a sample")] } ?? []
            return rule(limit, exceptions, FolderSizes.counts).violations(in: tree).map(\.reason)
        }
        #expect(found(3, nil) == [])
        #expect(found(2, nil) == ["Sources/A has 3 things; the limit is 2"])
        #expect(found(1, 3) == [])
        #expect(found(1, 2) == ["Sources/A has 3 things; the list of exceptions allows 2"])
        #expect(found(1, 4) == ["Sources/A has 3 things now: lower its entry to 3"])
        #expect(found(3, 4) == ["Sources/A has 3 things now: remove its entry"])
    }
}
