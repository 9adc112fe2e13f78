import StoreTestSupport

extension Replica {
    /// Makes a store of the sample model.
    convenience init() throws { try self.init(SampleModel.make()) }

    /// Closes the store and opens it again with the sample model.
    func reopen() throws { try reopen(SampleModel.make()) }
}
