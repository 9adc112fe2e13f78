package import TributaryChanges

/// Parses a JSON text with the rules of the log: UTF-8, RFC 8259, no repeated keys, bounded depth.
///
/// ```swift
/// let body = try JSONParser.parse(bytes, depthLimit: 16)
/// ```
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
