/// The location where a container stores its objects.
public enum StoreLocation: Sendable, Hashable {
    /// An SQLite file; its folder must exist.
    case file(String)
    /// In memory, for tests and previews: everything works as with a file, except that no other process can take part.
    ///
    /// It is a real SQLite database in a private folder of `/dev/shm`, or, on a machine without `/dev/shm`, in the
    /// folder for temporary files, without waiting for the disk. The folder is removed when the container is closed or
    /// released, and when the process exits; the folder of a killed process is removed when the next such store is
    /// opened.
    case memory
}
