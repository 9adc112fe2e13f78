package import TributaryChanges

/// Parses a JSON text with the rules of the log: UTF-8, RFC 8259, no repeated keys, bounded depth.
package enum JSONParser {
    /// The greatest depth of objects and arrays in a line of the log.
    package static let logDepth = 8

    package static func parse(_ bytes: [UInt8], depthLimit: Int = JSONParser.logDepth) throws(JSONError) -> JSONValue {
        var result: Result<JSONValue, JSONError> = .success(.null)
        bytes.withUnsafeBufferPointer { result = parse($0, depthLimit: depthLimit) }
        return try result.get()
    }

    package static func parse(_ text: String, depthLimit: Int = JSONParser.logDepth) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), depthLimit: depthLimit)
    }

    /// Passes the elements of the array in the member `list` to `take` one by one; the returned array is empty.
    ///
    /// Built together, the elements would take several times the memory of their text.
    package static func parse(
        _ bytes: [UInt8],
        listing list: String,
        depthLimit: Int,
        _ take: (JSONValue) throws -> Void
    ) throws -> JSONValue {
        try bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(depthLimit: depthLimit)
            scanner.begin(bytes)
            guard scanner.peek() == UInt8(ascii: "{") else { return try parse(bytes, depthLimit: depthLimit).get() }
            var members: [JSONMember] = []
            var (isFirst, isFirstElement) = (true, true)
            try scanner.open(UInt8(ascii: "{"), depth: 1)
            while let key = try scanner.nextMember(&isFirst) {
                var member = JSONMember(key: scanner.text(of: key), value: .array([]))
                if member.key == list, scanner.peek() == UInt8(ascii: "["), isFirstElement {
                    try scanner.open(UInt8(ascii: "["), depth: 2)
                    while try scanner.nextElement(&isFirstElement) { try take(scanner.value(depth: 2)) }
                } else {
                    member.value = try scanner.value(depth: 1)
                }
                members.append(member)
            }
            try scanner.closeKeys(from: 0)
            try scanner.expectEnd()
            return .object(members)
        }
    }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int) -> Result<JSONValue, JSONError> {
        var scanner = JSONScanner(depthLimit: depthLimit)
        scanner.begin(bytes)
        return Result { () throws(JSONError) in
            let value = try scanner.value(depth: 0)
            try scanner.expectEnd()
            return value
        }
    }
}

package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package var offset: Int
    /// A clause without a capital, such as "the key 'id' occurs twice".
    package var reason: String

    package init(_ reason: String, offset: Int = 0) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "\(reason) (byte \(offset + 1))" }
}
