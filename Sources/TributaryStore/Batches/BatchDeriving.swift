package import TributaryChanges

/// Computes derived attributes for a batch, which writes in slices and creates no managed objects.
package protocol BatchDeriving: AnyObject {
    /// Reads the values that the slice will overwrite; called before the slice is applied.
    func willApply(_ changes: [Change], _ reader: Reader) throws

    /// Computes the derived attributes of the changed objects; called after the slice was applied.
    ///
    /// - Returns: the derived attributes of the objects that the slice changed.
    func didApply(_ changes: [Change], _ reader: Reader) throws -> [Change]

    /// Hands over, slice by slice, the derived attributes of other objects; called after all slices were applied.
    func finish(_ reader: Reader, slice: Int, _ take: ([Change]) throws -> Void) throws
}
