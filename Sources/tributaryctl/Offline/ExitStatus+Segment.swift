import TransactionLog
import TributaryAdmin

extension ExitStatus {
    init(_ error: SegmentError) {
        self =
            switch error.kind {
            case .incomplete, .damaged, .rejected: .badData
            case .forked, .changed: .tryAgain
            case .missing: .noSuchThing
            case .inputOutput: .inputOutput
            }
    }
}
