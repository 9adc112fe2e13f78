package import TributaryChanges

/// Tests write times as Unix milliseconds.
extension WallTime: ExpressibleByIntegerLiteral {
    package init(integerLiteral milliseconds: UInt64) { self.init(milliseconds: milliseconds) }
}
