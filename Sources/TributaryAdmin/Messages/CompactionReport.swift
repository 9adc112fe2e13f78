/// The response of `POST /v1/compact`, also of a dry run.
package struct CompactionReport: Codable, Hashable, Sendable {
    package static let limit = 1_000

    package struct Step: Codable, Hashable, Sendable {
        /// A text, so that a report with a result of a later version can be read.
        package struct Result: RawRepresentable, CaseIterable, Hashable, Sendable, Codable {
            package var rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            package static let cut = Self(rawValue: "cut")
            package static let exists = Self(rawValue: "exists")
            package static let waits = Self(rawValue: "waits")
            package static let verified = Self(rawValue: "verified")
            package static let differs = Self(rawValue: "differs")
            package static let nothing = Self(rawValue: "nothing")

            package static let allCases = [cut, exists, verified, differs, waits, nothing]
        }

        package var result: Result
        package var file: String?
        package var detail: String?

        package init(result: Result, file: String? = nil, detail: String? = nil) {
            self.result = result
            self.file = file
            self.detail = detail
        }
    }

    package struct Baseline: Codable, Hashable, Sendable {
        package var file: String
        package var bytes: UInt64
        package var verified: Bool
        package var detail: String?

        package init(file: String, bytes: UInt64, verified: Bool, detail: String? = nil) {
            self.file = file
            self.bytes = bytes
            self.verified = verified
            self.detail = detail
        }
    }

    package struct Segment: Codable, Hashable, Sendable {
        package var file: String
        package var bytes: UInt64
        package var waitsFor: [String]

        package init(file: String, bytes: UInt64, waitsFor: [String]) {
            self.file = file
            self.bytes = bytes
            self.waitsFor = waitsFor
        }
    }

    package var dryRun: Bool
    package var baseline = Step(result: .waits)
    package var verification = Step(result: .nothing)
    package var baselines: [Baseline] = []
    package var removedSegments = 0
    package var removedBytes: UInt64 = 0
    package var removedBaselines: [String] = []
    package var remaining: [Segment] = []
    package var remainingSegments = 0
    package var remainingBytes: UInt64 = 0

    package init(dryRun: Bool) {
        self.dryRun = dryRun
    }
}
