package enum HintCommands {
    /// Adds options that select the daemon, except to a command for another machine.
    ///
    /// The clause before such a command ends with "there", or contains "on a machine", with "another", "its" or "the" for
    /// "a". `restore` works without a daemon, and names its store.
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

    /// Puts `sudo` before each command that takes root's rights, and before none for root.
    ///
    /// A command for another user, such as `sudo -u`, stays as it is.
    package static func text(_ text: String, isRoot: Bool) -> String {
        guard !isRoot else { return text.replacing(#/\bsudo (?!-)/#, with: "") }
        return text.replacing(
            #/(?<lead>sudo )?\b(?<command>systemctl (?:start|stop|restart|enable|edit) |sysctl fs\.)/#
        ) {
            "sudo \($0.command)"
        }
    }
}
