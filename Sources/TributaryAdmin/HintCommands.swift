package enum HintCommands {
    /// Adds options that select the daemon, except to `restore` and to a command for another machine.
    ///
    /// Such a command follows a clause that ends with "there", or contains "on a machine" (also "another", "its",
    /// "the").
    package static func text(_ hint: String, adding options: String) -> String {
        let place = #/\b(?:there|[Oo]n (?:a|another|its|the) [^.;:]*machine[^.;:]*): $/#
        var (text, rest) = ("", hint[...])
        while let command = rest.firstMatch(of: #/tributaryctl (?!restore )/#) {
            text += rest[..<command.range.upperBound]
            if !rest[..<command.range.lowerBound].contains(place) { text += options }
            rest = rest[command.range.upperBound...]
        }
        return text + rest
    }

    /// `sudo -u` and other commands for another user stay as they are.
    package static func text(_ text: String, isRoot: Bool) -> String {
        guard !isRoot else { return text.replacing(#/\bsudo (?!-)/#, with: "") }
        return text.replacing(
            #/(?<lead>sudo )?\b(?<command>systemctl (?:start|stop|restart|enable|edit) |sysctl fs\.)/#
        ) {
            "sudo \($0.command)"
        }
    }
}
