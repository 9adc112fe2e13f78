/// The location where a container stores its objects.
public enum StoreLocation: Sendable, Hashable {
    /// An SQLite file; its folder must exist.
    case file(String)
    /// In memory, for tests and previews: everything works as with a file, except that no other process can take part.
    ///
    /// It is a real SQLite database in a private folder of `/dev/shm`; where the machine has no such place, in the folder
    /// for temporary files, without waiting for the disk. The folder goes when the container is closed or released, and
    /// when the process exits; what a killed process has left is removed when the next such store is opened.
    case memory
}
