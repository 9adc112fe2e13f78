import Testing
import TributaryAdmin

/// Sizes as people read them.
@Suite struct ByteTextTests {
    @Test(
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_075, "1.0 KiB"), (1_076, "1.1 KiB"),
            (-1_536, "-1.5 KiB"),
            (1 << 20 - 1, "1024.0 KiB"), (1 << 20, "1.0 MiB"), (5 << 30, "5.0 GiB"), (1 << 50, "1.0 PiB"),
            (Int64.max, "8192.0 PiB"), (Int64.min, "-8192.0 PiB"),
        ] as [(Int64, String)]
    )
    func aSizeHasTheLargestUnitBelowIt(_ count: Int64, _ text: String) {
        #expect(ByteText.text(count) == text)
    }

    @Test func aLargerNumberIsTheLargestOf64Bits() {
        #expect(ByteText.text(UInt64.max) == "8192.0 PiB")
    }
}
