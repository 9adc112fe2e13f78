import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The inputs from which the fuzzer starts, and those that it has found: none makes a reader trap or hang.
@Suite(.timeLimit(.minutes(5))) struct FuzzCorpusTests {
    @Test(arguments: FuzzTarget.allCases) func eachInputIsReadOrRefused(_ target: FuzzTarget) throws {
        let folder = PackageFolder.path("Tests/Fuzzing/Corpus/\(target.rawValue)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        for name in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            target.run(Array(bytes))
            // Each beginning of an input is an input as well.
            for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 50)) {
                target.run(Array(bytes.prefix(count)))
            }
        }
    }
}
