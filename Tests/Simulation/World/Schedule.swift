/// A sequence of steps with some replicas and producers.
package struct Schedule: Sendable {
    package var replicas: Int
    package var producers: Int
    /// The number from which the schedule was drawn; it also decides how the settings of the replicas differ.
    package var seed: UInt64
    package var steps: [Step]
    package var isUnique: Bool

    /// Whether the model grows, at the latest in the end: a migration of all stores costs as much as the rest.
    var grows: Bool { seed % 4 == 0 }

    /// Whether stores are restored, copied and moved; in half of these schedules also baselines are cut.
    var changesIdentities: Bool { seed % 4 == 2 || seed % 8 == 7 }

    /// Whether log folders are lost, and stores moved.
    var losesFolders: Bool { seed % 8 == 5 }

    /// Whether machines are set back with what they have published, so that their stores write other segments with the
    /// same sequences.
    var forks: Bool { seed % 8 == 2 }

    /// Whether baselines are cut in the log folders, and segments removed.
    var compacts: Bool { seed % 4 == 3 }

    /// Creates a schedule that an earlier run has found.
    package init(replicas: Int = 2, producers: Int = 1, seed: UInt64 = 0, isUnique: Bool = false, _ steps: [Step]) {
        self.replicas = replicas
        self.producers = producers
        self.steps = steps
        self.seed = seed
        self.isUnique = isUnique
    }
}
