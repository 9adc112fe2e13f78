/// The main context's own save, part of a merge, has failed; its changes are still there.
public struct MainSaveFailure: Error, Sendable {
    /// What the save threw.
    public let error: any Error

    /// A failure of its cause.
    public init(error: any Error) {
        self.error = error
    }
}
