import ArgumentParser

/// The options of commands that list something page by page.
struct PageOptions: ParsableArguments {
    @Option(help: "How many, at most 1000.")
    var limit: Int?

    @Option(help: ArgumentHelp("Go on after the list before.", valueName: "next"))
    var after: String?

    /// The parameters of the request.
    var query: [(String, String?)] { [("limit", limit.map(String.init)), ("after", after)] }

    /// Prints how the list goes on; nothing after the last page.
    static func printNext(_ next: String?, on terminal: Terminal) {
        if let next { terminal.print("more: --after \(EscapedText.escape(next))") }
    }
}
