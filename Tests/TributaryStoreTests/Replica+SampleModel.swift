import StoreTestSupport

extension Replica {
    convenience init() throws { try self.init(SampleModel.make()) }

    func reopen() throws { try reopen(SampleModel.make()) }
}
