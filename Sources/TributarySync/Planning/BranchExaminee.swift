/// A branch's file that is to be read, or whose place is to be looked up.
package struct BranchExaminee: Hashable, Sendable {
    package var file: SegmentFile
    package var identity: FileIdentity?
    /// The facts about the segment when it has been read.
    package var outline: SegmentOutline?
}
