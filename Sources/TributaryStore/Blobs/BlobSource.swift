/// Hands over the bytes of a binary that a log names by hash and size, in portions.
///
/// The source compares the bytes with the hash before it returns, and throws when they differ.
package typealias BlobSource = (
    _ sha256: String, _ size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void
) throws -> Void
