/// The response of `POST /v1/check`.
package struct CheckMessage: Codable, Hashable, Sendable {
    package struct Problem: Codable, Hashable, Sendable {
        package var code: String
        package var detail: String
        package var file: String?
        package var writer: String?
        package var hint: String?

        package init(code: String, detail: String, file: String?, writer: String?, hint: String?) {
            self.code = code
            self.detail = detail
            self.file = file
            self.writer = writer
            self.hint = hint
        }
    }

    /// Whether a store that was built anew from the log folder is equal.
    package struct Comparison: Codable, Hashable, Sendable {
        /// `equal`, `different` or `impossible`.
        package var result: String
        /// Why the stores cannot be compared, as a code.
        package var reason: String?
        /// Why the stores cannot be compared, as a sentence.
        package var detail: String?
        package var digest: String?
        /// The digest of the store that was built anew.
        package var rebuilt: String?

        package init(result: String) {
            self.result = result
        }
    }

    package var ok = true
    package var problems: [Problem] = []
    /// The number of all problems, also of those that are not listed.
    package var problemCount = 0
    package var repairs: [String] = []
    package var segments = 0
    /// The number of segments that are not applied.
    package var unapplied = 0
    /// The number of large values that were verified.
    package var values: Int64 = 0
    package var unexported = 0
    package var comparison: Comparison

    package init(comparison: Comparison) {
        self.comparison = comparison
    }
}
