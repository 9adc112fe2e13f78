import Foundation
import TributaryAdmin
import TributaryModel

extension Model {
    init(atPath path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(reason: "\(path): there is no such model", status: .noSuchThing)
        }
        try self.init(contentsOf: path)
    }
}
