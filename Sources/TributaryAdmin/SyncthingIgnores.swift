/// The patterns of a folder's `.stignore`.
package enum SyncthingIgnores {
    package static let fileName = ".stignore"
    package static let staging = "/.staging"

    /// Whether the patterns leave the staging folder out.
    ///
    /// Patterns in included files are not read, and may also leave it out.
    package static func leaveOutStaging(_ lines: some Sequence<some StringProtocol>) -> Bool {
        lines.contains { line in
            var pattern = line.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
            while let last = pattern.last, last.isWhitespace { pattern.removeLast() }
            if pattern.hasPrefix("#include") { return true }
            while pattern.hasPrefix("(?d)") || pattern.hasPrefix("(?i)") { pattern = pattern.dropFirst(4) }
            if pattern.hasPrefix("/") { pattern = pattern.dropFirst() }
            for end in ["/**", "/*", "/"] where pattern.hasSuffix(end) { pattern = pattern.dropLast(end.count) }
            return pattern == ".staging" || pattern == ".*" || pattern == "*" || pattern == "**"
        }
    }
}
