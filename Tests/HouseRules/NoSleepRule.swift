/// Tests wait for events, never for time to pass.
struct NoSleepRule: HouseRule {
    func violations(in tree: SourceTree) -> [Violation] {
        tree.swiftFiles.filter { $0.isTest && !$0.isFixture }.flatMap { file in
            file.violations(in: file.codeLines) { line in
                let pattern = /\b(Task|Thread|ContinuousClock\(\))\.sleep\b|(?:^|[^.\w])(sleep|usleep|nanosleep)\s*\(/
                guard !line.contains("func sleep"), (try? pattern.firstMatch(in: line)) != nil else { return nil }
                return "sleeps; wait for the event"
            }
        }
    }
}
