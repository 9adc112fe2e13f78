import TributaryModel

/// Detects that the model file has changed since the daemon's start.
struct ModelFileWatch: Sendable {
    private let path: String?
    private let contents: ModelFileContents?

    init(path: String?) {
        self.path = path
        contents = path.map { ModelFileContents(ofModelAt: $0) }
    }

    var isChanged: Bool {
        guard let path, let contents else { return false }
        return ModelFileContents(ofModelAt: path) != contents
    }
}
