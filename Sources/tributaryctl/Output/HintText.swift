/// Formats hints so that they can be pasted: each command gets the options that select the daemon.
struct HintText: Sendable {
    private let options: String

    init(_ connection: ConnectionOptions) {
        options =
            if let socket = connection.socket {
                "--socket \(HintText.quoted(socket)) "
            } else if let instance = connection.instance {
                "--instance \(HintText.quoted(instance)) "
            } else {
                ""
            }
    }

    func text(_ hint: String) -> String {
        EscapedText.escape(hint.replacing("tributaryctl ", with: "tributaryctl \(options)"))
    }

    private static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "@"):
                true
            default: false
            }
        }
        return plain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
