/// Hands over the bytes of a binary that a log only names, by hash and size, in portions.
///
/// It has held them against the hash when it returns, and throws when they are others.
package typealias BlobSource = (
    _ sha256: String, _ size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void
) throws -> Void
