import TributaryChanges

/// Formats hints so that they can be pasted: each command gets the options that select the daemon.
struct HintText: Sendable {
    private let options: String

    init(_ connection: ConnectionOptions) {
        options =
            if let socket = connection.socket {
                "--socket \(socket.shellWord) "
            } else if let instance = connection.instance {
                "--instance \(instance.shellWord) "
            } else {
                ""
            }
    }

    /// The hint with the options; `restore` works without a daemon, and names its store.
    func text(_ hint: String) -> String {
        EscapedText.escape(hint.replacing(#/tributaryctl (?!restore )/#, with: "tributaryctl \(options)"))
    }
}
