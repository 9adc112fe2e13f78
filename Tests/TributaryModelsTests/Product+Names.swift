import Tributary

/// Written by hand beside the class that the build makes.
extension Product {
    var label: String { "\(title) (\(orders.count))" }
}
