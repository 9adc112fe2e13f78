import TributaryStore

extension PersistentContainer {
    /// Yields after local commits from now on: a hint that there may be something to export.
    package func commitHints() -> AsyncStream<Void> { pipeline.commits.stream() }
}
