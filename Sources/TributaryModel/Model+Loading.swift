extension Model {
    /// Reads a model from an `.xcdatamodeld` or `.xcdatamodel` folder, or a `.yaml` file.
    ///
    /// - Throws: ``ModelError`` with file, line and element.
    public init(contentsOf path: String) throws(ModelError) {
        throw ModelError("reading models is not there yet", file: path)
    }
}
