import Glibc
import TributaryChanges

/// The constant bytes of insert or update lines that have the same entity and the same properties: everything except the
/// identifier and the values.
///
/// A line of a log is nearly always like one shortly before it. Made from a line that was found valid, a template shows
/// that another is valid as well when the bytes between its values are the same: names and keys need no second look.
final class LineTemplate {
    let isInsert: Bool
    let entity: String
    let names: [String]
    /// The bytes before the identifier, those before each value, and those after the last one, one after another.
    private let bytes: [UInt8]
    /// Where each of them ends in `bytes`.
    private let ends: [Int]

    private static let identifierLength = 36

    /// The template of a valid change line; nil when it has another form, or values that are not plain.
    init?(_ line: UnsafeBufferPointer<UInt8>, scanner: inout JSONScanner) {
        let insert = StaticString("{\"insert\":")
        let update = StaticString("{\"update\":")
        scanner.begin(line)
        let isInsert = scanner.takes(insert)
        guard isInsert || scanner.takes(update), let entity = scanner.plainString(), scanner.takes(",\"id\":\"") else {
            return nil
        }
        var pieces = [Range(uncheckedBounds: (0, scanner.position))]
        scanner.position += LineTemplate.identifierLength
        var start = scanner.position
        guard scanner.takes("\",\"values\":{") else { return nil }
        var names: [String] = []
        while true {
            guard let key = scanner.plainString(), scanner.takes(":") else { return nil }
            names.append(scanner.text(of: key))
            pieces.append(start..<scanner.position)
            guard (try? scanner.skipScalar()) == true else { return nil }
            start = scanner.position
            if !scanner.takes(",") { break }
        }
        guard scanner.takes("}}"), scanner.position == line.count else { return nil }
        pieces.append(start..<line.count)
        self.isInsert = isInsert
        self.entity = scanner.text(of: entity)
        self.names = names
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for piece in pieces {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: line[piece]))
            ends.append(bytes.count)
        }
        self.bytes = bytes
        self.ends = ends
    }

    /// Whether the line is valid because it is of this form; the scanner is given the line.
    ///
    /// False says nothing: the line has to be looked at as a whole then.
    func covers(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        walk(line, &scanner) { (scanner, _) throws(JSONError) in try scanner.skipScalar() } != nil
    }

    /// Appends the line to a run of this form; false when it is of another.
    func append(_ line: UnsafeBufferPointer<UInt8>, to run: RowRun, _ scanner: inout JSONScanner) -> Bool {
        let id = walk(line, &scanner) { (scanner, column) throws(JSONError) in
            try scanner.scalar(into: run, column)
        }
        guard let id else { return false }
        run.append(id)
        return true
    }

    /// The identifier, when all between the values is as it should be and `value` has taken each of them.
    @inline(__always)
    private func walk(
        _ line: UnsafeBufferPointer<UInt8>,
        _ scanner: inout JSONScanner,
        value: (inout JSONScanner, Int) throws(JSONError) -> Bool
    ) -> UniqueID? {
        guard let text = line.baseAddress else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends -> UniqueID? in
                guard let template = bytes.baseAddress else { return nil }
                let head = ends[0]
                guard line.count >= head + LineTemplate.identifierLength, memcmp(text, template, head) == 0,
                    let id = UniqueID(
                        text: UnsafeRawBufferPointer(start: text + head, count: LineTemplate.identifierLength)
                    )
                else { return nil }
                scanner.begin(keyless: line, at: head + LineTemplate.identifierLength)
                for index in 1..<ends.count {
                    let count = ends[index] - ends[index - 1]
                    guard line.count - scanner.position >= count,
                        memcmp(text + scanner.position, template + ends[index - 1], count) == 0
                    else { return nil }
                    scanner.position += count
                    if index == ends.count - 1 { return scanner.position == line.count ? id : nil }
                    guard (try? value(&scanner, index - 1)) == true else { return nil }
                }
                return nil
            }
        }
    }
}
