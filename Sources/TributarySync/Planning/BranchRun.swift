/// A verified segment that is next to be applied to a line of its writer's log.
package struct BranchRun: Hashable, Sendable {
    package var file: SegmentFile
    package var segment: SegmentOutline
    package var target: BranchTarget
}
