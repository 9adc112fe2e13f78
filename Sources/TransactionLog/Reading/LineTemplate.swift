import Glibc
import TributaryChanges

/// The constant bytes of insert or update lines with the same entity and properties: all but the ID and the values.
///
/// Nearly every line has the form of a recent line. It is valid when its constant bytes match, and they are not parsed.
final class LineTemplate {
    let isInsert: Bool
    let entity: String
    let names: [String]
    private let bytes: [UInt8]
    private let ends: [Int]

    private static let identifierLength = 36

    init?(_ line: UnsafeBufferPointer<UInt8>, scanner: inout JSONScanner) {
        let insert = StaticString("{\"insert\":")
        let update = StaticString("{\"update\":")
        scanner.begin(line)
        let isInsert = scanner.consume(insert)
        guard isInsert || scanner.consume(update), let entity = scanner.plainString(), scanner.consume(",\"id\":\"")
        else { return nil }
        var pieces = [Range(uncheckedBounds: (0, scanner.position))]
        scanner.position += LineTemplate.identifierLength
        var start = scanner.position
        guard scanner.consume("\",\"values\":{") else { return nil }
        var names: [String] = []
        while true {
            guard let key = scanner.plainString(), scanner.consume(":") else { return nil }
            names.append(scanner.text(of: key))
            pieces.append(start..<scanner.position)
            guard (try? scanner.skipScalar()) == true else { return nil }
            start = scanner.position
            if !scanner.consume(",") { break }
        }
        guard scanner.consume("}}"), scanner.position == line.count else { return nil }
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

    func covers(_ line: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner) -> Bool {
        walk(line, &scanner) { (scanner, _) throws(JSONError) in try scanner.skipScalar() } != nil
    }

    func append(_ line: UnsafeBufferPointer<UInt8>, to run: RowRun, _ scanner: inout JSONScanner) -> Bool {
        let id = walk(line, &scanner) { (scanner, column) throws(JSONError) in
            try scanner.scalar(into: run, column)
        }
        guard let id else { return false }
        run.append(id)
        return true
    }

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
