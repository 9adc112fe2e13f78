/// A failure of the main context's own save during a merge; the context keeps its changes.
public struct MainSaveFailure: Error, Sendable {
    /// The error that the save threw.
    public let error: any Error

    /// Creates a failure with its error.
    public init(error: any Error) {
        self.error = error
    }
}
