package import TributaryChanges

/// Computes derived attributes for a batch, which writes in slices and makes no objects.
package protocol BatchDeriving: AnyObject {
    /// Called before a slice is applied: what depends on values that go with it can be found now only.
    func willApply(_ changes: [Change], _ reader: Reader) throws

    /// Called when a slice has been applied.
    ///
    /// - Returns: the derived attributes of the objects that it was about.
    func didApply(_ changes: [Change], _ reader: Reader) throws -> [Change]

    /// Called when all slices have been applied: hands over, slice by slice, the derived attributes of other objects.
    func finish(_ reader: Reader, slice: Int, _ take: ([Change]) throws -> Void) throws
}
