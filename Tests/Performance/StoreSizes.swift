/// How large the files are, the store's and the plain table's.
struct StoreSizes {
    var fresh = (store: 0, plain: 0)
    var updated = (store: 0, plain: 0)

    var lines: String {
        [("fresh", fresh), ("after updating every row", updated)].map { title, size in
            let ratio = Comparison.rounded(Double(size.store) / Double(max(1, size.plain)))
            return "size \(title): store \(size.store >> 10) KiB, plain table \(size.plain >> 10) KiB, ratio \(ratio)"
        }.joined(separator: "\n")
    }
}
