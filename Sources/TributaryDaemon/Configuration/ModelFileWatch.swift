import TributaryModel

/// Whether the model's file is another one than the daemon has started with.
struct ModelFileWatch: Sendable {
    private let path: String?
    private let contents: ModelFileContents?

    /// Remembers what is there now.
    init(path: String?) {
        self.path = path
        contents = path.map { ModelFileContents(ofModelAt: $0) }
    }

    var isChanged: Bool {
        guard let path, let contents else { return false }
        return ModelFileContents(ofModelAt: path) != contents
    }
}
