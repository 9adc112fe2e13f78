import Foundation
import TransactionLog
import TributaryChanges
import TributaryStore

/// A third-party writer, which knows only the segment format.
struct DemoThirdParty {
    func write(to logs: String) throws -> [String] {
        let environment = StoreEnvironment.system
        let writer = environment.newID()
        let clock = HybridClock(environment.wallTime())
        let body = [
            #"{"tributary":1,"writer":"\#(writer)","first":1,"last":1,"previous":null}"#,
            #"{"transaction":1,"clock":"\#(clock)","changes":1}"#,
            #"{"insert":"Product","id":"\#(environment.newID())","#
                + #""values":{"name":"Sandwich","price":"4.2","stock":8}}"#,
        ]
        let bytes = Array((body.joined(separator: "\n") + "\n").utf8)
        let end = #"{"end":1,"transactions":1,"changes":1,"sha256":"\#(SegmentEnd.sha256(of: bytes))"}"#
        let folder = "\(logs)/\(writer)"
        let staged = "\(logs)/.staging/\(writer).part"
        for path in [folder, "\(logs)/.staging"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Data(bytes + Array((end + "\n").utf8)).write(to: URL(fileURLWithPath: staged))
        let name = "\(hexadecimal16(1))-\(hexadecimal16(1)).tlog"
        try FileManager.default.moveItem(atPath: staged, toPath: "\(folder)/\(name)")
        return body + [end]
    }
}
