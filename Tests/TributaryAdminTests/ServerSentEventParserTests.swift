import Testing
import TributaryAdmin

@Suite("Reading server-sent events")
struct ServerSentEventParserTests {
    private let text =
        "event: hello\ndata: {\"token\":\"1@a\"}\n\n: still here\n\nevent: two\r\nid: 7\r\ndata: a\r\ndata: b\r\n\r\n"
    private let expected = [
        ServerSentEvent(event: "hello", data: "{\"token\":\"1@a\"}"),
        ServerSentEvent(event: "two", data: "a\nb", id: "7"),
    ]

    @Test("all at once")
    func whole() {
        var parser = ServerSentEventParser()
        #expect(parser.append(text.utf8) == expected)
    }

    @Test("byte by byte")
    func byteByByte() {
        var parser = ServerSentEventParser()
        #expect(text.utf8.flatMap { parser.append([$0]) } == expected)
    }
}
