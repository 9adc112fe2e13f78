/// Tests wait for events, never for time to pass.
struct NoSleepRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        tree.swiftFiles.filter { $0.isTest && !$0.isFixture }.flatMap { file in
            // A function of the file's own with that name is no sleep.
            let hasOwn = file.codeLines.contains { $0.has("func sleep(") }
            return file.violations(in: file.codeLines) { line in
                guard line.has("sleep") else { return nil }
                let typed = /\b(Task|Thread|ContinuousClock\(\))\.sleep\b/
                let bare = /(?:^|[^.\w])(sleep|usleep|nanosleep)\s*\(/
                let isBare = !hasOwn && (try? bare.firstMatch(in: line)) != nil
                return isBare || (try? typed.firstMatch(in: line)) != nil ? "sleeps; wait for the event" : nil
            }
        }
    }
}
