import TestSupport
import Testing

@testable import TributaryDaemon

/// Durations and sizes with any number of digits are parsed or refused; in a debug build each overflow would trap.
@Suite struct HostileSettingsTests {
    private let duration = SettingSyntax<Duration>.duration
    private let size = SettingSyntax<Int>.size

    @Test func anyNumberWithAnyUnitIsReadOrRefused() throws {
        var generator = SeededGenerator.printingSeed()
        let units = ["ms", "s", "m", "h", "d", "B", "KiB", "MiB", "GiB", ""]
        var (durations, sizes, refused) = (0, 0, 0)
        for _ in 0..<10_000 {
            let digits = "\(HostileNumbers.unsigned(&generator))" + (generator.next() % 8 == 0 ? "000" : "")
            let text = digits + units[Int(generator.next() % UInt64(units.count))]
            let parsedDuration = duration.parse(text, "/")
            if let parsedDuration {
                durations += 1
                #expect(parsedDuration > .zero && parsedDuration <= .seconds(36_525 * 86_400))
                let written = try #require(duration.text(parsedDuration))
                #expect(duration.parse(written, "/") == parsedDuration)
            }
            let parsedSize = size.parse(text, "/")
            if let parsedSize {
                sizes += 1
                let written = try #require(size.text(parsedSize))
                #expect(parsedSize > 0 && size.parse(written, "/") == parsedSize)
            }
            if parsedDuration == nil, parsedSize == nil { refused += 1 }
        }
        #expect(
            durations > 100 && sizes > 100 && refused > 100,
            "\(durations) durations, \(sizes) sizes, \(refused) refused texts"
        )
    }

    @Test(arguments: ["999999999999999d", "106751991167d", "36526d", "9223372036854775807ms"])
    func aDurationOfMoreThanAHundredYearsIsRefused(text: String) {
        #expect(duration.parse(text, "/") == nil)
    }
}
