import TestSupport
import Testing
import TransactionLog
import TributaryChanges

@testable import TributarySync

/// Compares the files of forked writers with a plain set that is sorted each time.
@Suite struct PlannedBranchesTests {
    private let writers = [PlannerBench.a, PlannerBench.b]

    private func file(_ generator: inout SeededGenerator) -> SegmentFile {
        let first = 1 + generator.next() % 12
        let writer = writers[Int(generator.next() % 2)]
        let id = PlannerBench.name(writer, first, first + generator.next() % 2)
        guard generator.next() % 3 == 0 else { return SegmentFile(id: id) }
        return SegmentFile(id: id, fileName: "\(id.fileName.dropLast(5)).sync-conflict-x.tlog")
    }

    @Test func theFilesStayInOrder() {
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        for _ in LongProofs.rounds(100) {
            var branches = PlannedBranches()
            var plain: Set<SegmentFile> = []
            for step in 0..<60 {
                let file = file(&generator)
                switch generator.next() % 8 {
                case 0, 1, 2, 3:
                    branches.insert(
                        file,
                        FileIdentity(FileAttributes(inode: UInt64(step), size: 1)),
                        wall: PlannerBench.wall
                    )
                    plain.insert(file)
                case 4, 5:
                    branches.remove(file)
                    plain.remove(file)
                case 6:
                    guard case .valid(let outline) = PlannerBench.valid(file.id) else { continue }
                    branches.learn(file, .placed(outline, .applied))
                    plain.remove(file)
                default:
                    guard generator.next() % 4 == 0 else { continue }
                    branches.removeAll(of: file.id.writer)
                    plain = plain.filter { $0.id.writer != file.id.writer }
                }
                #expect(branches.all.map(\.file) == plain.sorted(), "seed \(generator.seed), step \(step)")
                let open = branches.open(wall: PlannerBench.wall, limit: 3).map(\.file)
                #expect(open == Array(plain.sorted().prefix(3)))
            }
        }
    }
}
