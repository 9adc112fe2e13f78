package import TributaryChanges

/// One step of a schedule.
///
/// Steps are independent of each other: a step that makes no sense in its place does nothing, so that a schedule can be
/// reduced to the steps that make it fail.
package enum Step: Hashable, Sendable {
    /// A program saves on a replica; a save that the store refuses has no effect.
    case save(replica: Int, crash: CrashPoint? = nil, [Change])
    /// A producer without a replica writes; `skew` is the number of seconds between its clock and the common clock.
    case produce(producer: Int, skew: Int, [Change])
    /// A replica or a producer exports everything that it has not exported.
    case export(writer: Int, crash: CrashPoint?)
    /// The replicator copies a segment to a replica.
    ///
    /// `skip` counts the segments between the next one that the replica needs and this one. With `isHeard`, an event of
    /// the folder reports the file.
    case carry(writer: Int, to: Int, skip: Int, fault: FileFault, isHeard: Bool)
    /// A replica takes up to `count` steps of its import, after a scan of the whole folder with `isWhole`.
    case importing(replica: Int, count: Int, isWhole: Bool, crash: CrashPoint?)
    case acknowledge(replica: Int)
    case restart(replica: Int)
    /// The program of a replica ends; with `losesToken` its machine does.
    case crash(replica: Int, losesToken: Bool)
    /// A replica's store is closed and opened again with the model that has grown.
    case grow(replica: Int)
    /// A replica joins the baseline of another one.
    ///
    /// With `damage`, one byte at this per cent of the file is another one, and the replica must refuse it.
    case join(from: Int, to: Int, damage: Int?)
    /// A copy of a replica's store is kept.
    case snapshot(replica: Int)
    /// The kept copy is put in the place of a replica's store.
    ///
    /// The token stays as it was left, unless it is lost too.
    case restore(replica: Int, Restoration, losesToken: Bool)
    /// A replica is replaced by a copy of another one, which goes on.
    case clone(from: Int, to: Int, CopyKind, hasFolder: Bool)
    /// A replica's store, its log folder, or both go to another place.
    case move(replica: Int, Relocation)
    /// The log folder of a replica is lost, in part or as a whole.
    case lose(replica: Int, FolderLoss)
    /// A lost log folder comes back; what nobody else has is published again.
    case recover(replica: Int)
    /// A replica cuts or verifies a baseline, and removes segments; as an administrator asks for it, or by itself.
    case compact(replica: Int, isRequested: Bool)
    /// A baseline that a replica has cut, and that nobody has seen, becomes one of another state.
    case spoil(replica: Int)
    /// All files of a replica or a producer come to a replica, which imports and acknowledges them.
    case exchange(from: Int, to: Int)
    /// A replica stops counting on the acknowledgements of a store, and compacts.
    case evict(replica: Int, writer: Int)
    /// A replica stops waiting for missing transactions of a store.
    case abandon(replica: Int, writer: Int)
    case tick
    case jump(replica: Int, seconds: Int)
    /// The clock of a replica's machine is set right.
    case correct(replica: Int)
    /// A file of a replica or a producer is lost in all log folders; `number` chooses one of the kind.
    case vanish(writer: Int, LostFile, number: Int)
    /// Something else takes the name of a replica's next segment in its log folder.
    case squat(replica: Int, ForeignFile)
    /// The file of keys of a replica changes, or a key of all is lost.
    case rekey(replica: Int, KeyChange)
    /// A replica trusts the key of another one no more, which is stolen and has no part in the end.
    case revoke(replica: Int, other: Int)
    /// A replica's log folder gets another limit; 0 for none.
    case limit(replica: Int, bytes: Int)
    /// The administrator of a replica types what its status says.
    case administer(replica: Int)
    /// A replica is compared with the merge oracle.
    case check(replica: Int)
}
