import Foundation
import TributaryAdmin
import TributaryModel

extension Model {
    /// Reads a model from a path on the command line.
    ///
    /// - Throws: ``CommandFailure`` when there is no file; ``ModelError`` when the model is not valid.
    init(atPath path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(reason: "\(path): there is no such model", status: .noSuchThing)
        }
        try self.init(contentsOf: path)
    }
}
