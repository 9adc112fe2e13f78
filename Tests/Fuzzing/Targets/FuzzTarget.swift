import TestSupport
import TransactionLog
import TributaryChanges
import TributaryDaemon
import TributaryModel

/// A reader of bytes from outside, with what must hold for any bytes.
///
/// A reader may throw its own errors. It must not trap or hang, and what it accepts must be consistent; otherwise the
/// process ends with a trap, which the fuzzer and a test report.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// A whole segment file.
    case segment
    /// The lines of a segment between a header and an end line that fit them.
    case lines
    /// A whole baseline file.
    case baseline
    /// The lines of a baseline, with an end line that has the right hash.
    case state
    /// An encrypted file, or a file of keys.
    case encrypted
    case xml
    case yaml
    case predicate
    case json
    /// The daemon's configuration file.
    case configuration
    /// The query of a request for objects.
    case query

    /// Feeds one input to the reader.
    package func run(_ bytes: [UInt8]) {
        switch self {
        case .segment: SegmentFuzzing.readSegment(bytes)
        case .lines: SegmentFuzzing.readLines(bytes)
        case .baseline: SegmentFuzzing.readBaseline(bytes)
        case .state: SegmentFuzzing.readState(bytes)
        case .encrypted: SegmentFuzzing.readEncrypted(bytes)
        case .xml: _ = try? Model(xml: String(decoding: bytes, as: UTF8.self))
        case .yaml: _ = try? Model(yaml: String(decoding: bytes, as: UTF8.self))
        case .predicate: readPredicate(String(decoding: bytes, as: UTF8.self))
        case .json: readJSON(bytes)
        case .configuration: _ = OutsideText.readConfiguration(bytes)
        case .query:
            _ = OutsideText.readQuery(String(decoding: bytes, as: UTF8.self), QuerySample.entity, in: QuerySample.model)
        }
    }

    /// Parses a predicate; its description has an equal meaning.
    private func readPredicate(_ text: String) {
        guard let predicate = try? ObjectPredicate(parsing: text) else { return }
        // The description writes more parentheses than the text, and may exceed the parser's limit of levels.
        guard predicate.description.count(where: { $0 == "(" }) < 30 else { return }
        let again = try? ObjectPredicate(parsing: predicate.description)
        precondition(again == predicate, "'\(text)' is '\(predicate)', which is read as '\(again?.description ?? "")'")
    }

    /// Parses JSON, as in the body of a request, and the changes that it may contain.
    private func readJSON(_ bytes: [UInt8]) {
        guard let value = try? JSONParser.parse(bytes) else { return }
        guard case .object(let members) = value else { return }
        for case (let key, .array(let changes)) in members.map({ ($0.key, $0.value) }) where key == "changes" {
            for change in changes { _ = try? ParsedChange(change) }
        }
    }
}
