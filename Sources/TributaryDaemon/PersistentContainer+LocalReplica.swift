package import Tributary
import TributaryStore
import TributarySync

/// The log folder is kept in step with the container's store, and imports are merged into its main context.
extension PersistentContainer: LocalReplica {
    package var shownTransaction: Int64 { mainGeneration.number }
}
