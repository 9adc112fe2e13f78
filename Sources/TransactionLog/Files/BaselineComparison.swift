package import TributaryChanges

/// The result of a comparison: whether a baseline agrees with the state of a store.
///
/// It is a separate file: a new store reads it before it applies anything, and it outlives removed segments.
package struct BaselineComparison: Hashable, Sendable {
    /// `<writer>/<baseline's writer>-<baseline's sequence>.comparison`.
    package struct Name: Hashable, Comparable, Sendable {
        package let writer: UniqueID
        package let baseline: BaselineName

        package init(writer: UniqueID, of baseline: BaselineName) {
            self.writer = writer
            self.baseline = baseline
        }

        package var fileName: String {
            "\(baseline.writer)-\(hexadecimal16(baseline.sequence))\(BaselineComparison.suffix)"
        }

        package var path: String { "\(writer)/\(fileName)" }

        package static func < (left: Name, right: Name) -> Bool {
            (left.writer, left.baseline) < (right.writer, right.baseline)
        }
    }

    package let name: Name
    package let sha256: String
    package let difference: String?
    /// The label of the store that made and signed the comparison; nil without a signature.
    package var store: UniqueID?
    package var signature: Signature?

    private static let suffix = ".comparison"
    private static let limits = (file: UInt64(16_384), difference: 4_096)

    package init(_ name: Name, sha256: String, difference: String?) {
        (self.name, self.sha256) = (name, sha256)
        self.difference = difference.map {
            String($0.unicodeScalars.prefix(BaselineComparison.limits.difference / 4))
        }
    }

    static func baseline(ofFile name: String) -> BaselineName? {
        guard name.utf8.count == 53 + suffix.utf8.count, name.hasSuffix(suffix), name.dropFirst(36).first == "-",
            let writer = SegmentName.writer(folderName: String(name.prefix(36))),
            let sequence = parseHexadecimal16(name.dropFirst(37).prefix(16))
        else { return nil }
        return BaselineName(writer: writer, sequence: sequence)
    }

    package var line: String { line(signature) }

    private func line(_ signature: Signature?) -> String {
        JSONValue.members([
            "tributary": .integer(1), "comparison": .integer(1), "baseline": .string(name.baseline.path),
            "sha256": .string(sha256), "difference": difference.map(JSONValue.string) ?? .null,
            "store": store.map { .string($0.description) }, "key": signature.map { .string($0.key.description) },
            "signature": signature.map { .string($0.value) },
        ]).text
    }

    package var signedText: [UInt8] { SignedText.of(name.path, SegmentEnd.sha256(of: Array(line(nil).utf8))) }

    package func signed(by key: SigningKey, of store: UniqueID) -> BaselineComparison {
        var signed = self
        signed.store = store
        signed.signature = key.sign(signed.signedText)
        return signed
    }

    package static func read(_ name: Name, in logs: LogFolder) throws(SegmentError) -> BaselineComparison {
        let file = try logs.open(fileName: name.fileName, writer: name.writer)
        let size = try file.size()
        guard size <= limits.file else {
            throw SegmentError(.rejected, file: file.file, reason: "it has \(size) bytes, more than \(limits.file)")
        }
        let bytes = try file.bytes(in: 0..<size)
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            throw SegmentError(.incomplete, file: file.file, line: 1, reason: "the line has no newline")
        }
        guard end == bytes.count - 1 else {
            throw SegmentError(.rejected, file: file.file, line: 2, reason: "there is more than one line")
        }
        do throws(JSONError) {
            let fields = try bytes.dropLast().withUnsafeBufferPointer { line throws(JSONError) in try LineFields(line) }
            return try BaselineComparison(name, fields)
        } catch {
            throw SegmentError(.rejected, file: file.file, line: 1, reason: error.reason)
        }
    }

    private init(_ name: Name, _ fields: LineFields) throws(JSONError) {
        guard try fields.count("tributary") == 1, try fields.count("comparison") == 1 else {
            throw JSONError("the format version is not 1; this program reads version 1")
        }
        guard try fields.string("baseline") == name.baseline.path else {
            throw JSONError("it does not name the baseline in its file's name")
        }
        let sha256 = try fields.hash("sha256")
        guard fields.has("difference") else { throw JSONError("the key 'difference' is missing") }
        let difference = try fields.optionalString("difference")
        guard difference?.utf8.count ?? 0 <= BaselineComparison.limits.difference else {
            throw JSONError("'difference' is longer than \(BaselineComparison.limits.difference) bytes")
        }
        self.init(name, sha256: sha256, difference: difference)
        store = try? fields.uniqueID("store")
        signature = fields.signature
    }

    package func publish(_ logs: LogFolder) throws {
        let file = FilePublisher.Name(writer: name.writer, fileName: name.fileName, stagingFolder: "baselines")
        try FilePublisher(logs: logs).publish(file) { try $0.finish(with: line) }
    }
}
