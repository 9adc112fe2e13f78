package struct ServerSentEventParser: Sendable {
    private var line: [UInt8] = []
    private var event = "message"
    private var data: [String] = []
    private var id: String?
    private var sawCarriageReturn = false

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            switch byte {
            case 0x0A where sawCarriageReturn:
                sawCarriageReturn = false
            case 0x0A, 0x0D:
                sawCarriageReturn = byte == 0x0D
                if let complete = endLine() { events.append(complete) }
            default:
                sawCarriageReturn = false
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            set(field: String(decoding: line, as: UTF8.self), to: "")
            return nil
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        set(field: String(decoding: line[..<colon], as: UTF8.self), to: String(decoding: value, as: UTF8.self))
        return nil
    }

    private mutating func set(field: String, to value: String) {
        switch field {
        case "event": event = value
        case "data": data.append(value)
        case "id": id = value
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer {
            event = "message"
            data = []
            id = nil
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(event: event, data: data.joined(separator: "\n"), id: id)
    }
}

package struct ServerSentEvent: Hashable, Sendable {
    package var event: String
    package var data: String
    package var id: String?

    package init(event: String, data: String, id: String? = nil) {
        self.event = event
        self.data = data
        self.id = id
    }
}
