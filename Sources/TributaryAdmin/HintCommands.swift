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

    /// Puts `sudo` before each command that takes root's rights, and before none for root.
    ///
    /// A command begins a line, or follows a colon, a semicolon, `&&`, `|` or a parenthesis. Names and paths in quotation
    /// marks, and a command for another user, such as `sudo -u`, stay as they are.
    package static func text(_ text: String, isRoot: Bool) -> String {
        let command =
            #/
            (?:^|[\ =(])'(?:[^']|'\\'')*'
            |(^|[:;|]\ |&&\ |\()(?=sudo\ [^-]|systemctl|sysctl)
            (sudo\ )?(systemctl\ (?:start|stop|restart|enable|edit)\ |sysctl\ fs\.)?
            /#
        return text.replacing(command.anchorsMatchLineEndings()) { match in
            guard let before = match.1 else { return match.0 }
            let takesRights = match.2 != nil || match.3 != nil
            return before + (takesRights && !isRoot ? "sudo " : "") + (match.3 ?? "")
        }
    }
}
