import TestSupport
import Testing

@testable import TributaryDaemon

/// Durations and sizes with any number of digits are parsed or refused; in a debug build each overflow would trap.
@Suite struct HostileSettingsTests {
    @Test func anyNumberWithAnyUnitIsReadOrRefused() throws {
        var generator = SeededGenerator.fromEnvironment()
        print("seed \(generator.seed)")
        let units = ["ms", "s", "m", "h", "d", "B", "KiB", "MiB", "GiB", ""]
        var (durations, sizes, refused) = (0, 0, 0)
        for _ in 0..<10_000 {
            let digits = "\(HostileNumbers.unsigned(&generator))" + (generator.next() % 8 == 0 ? "000" : "")
            let text = digits + units[Int(generator.next() % UInt64(units.count))]
            if let duration = ConfigurationValue.duration(text) {
                durations += 1
                #expect(duration <= .seconds(36_525 * 86_400))
                let written = try #require(ConfigurationValue.duration(duration).text)
                #expect(ConfigurationValue.duration(written) == duration)
            }
            if let size = ConfigurationValue.size(text) {
                sizes += 1
                let written = try #require(ConfigurationValue.size(size).text)
                #expect(ConfigurationValue.size(written) == size)
            }
            if ConfigurationValue.duration(text) == nil, ConfigurationValue.size(text) == nil { refused += 1 }
        }
        #expect(
            durations > 100 && sizes > 100 && refused > 100,
            "\(durations) durations, \(sizes) sizes, \(refused) refused texts"
        )
    }

    @Test(arguments: ["999999999999999d", "106751991167d", "36526d", "9223372036854775807ms"])
    func aDurationOfMoreThanAHundredYearsIsRefused(text: String) {
        #expect(ConfigurationValue.duration(text) == nil)
    }
}
