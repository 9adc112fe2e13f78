import Testing
import TributaryChanges

@Suite struct DurationWordsTests {
    @Test(
        arguments: [
            (-5, "0 seconds"), (0, "0 seconds"), (1, "1 second"), (116, "116 seconds"), (117, "2 minutes"),
            (5_400, "90 minutes"), (7_019, "117 minutes"), (7_200, "2 hours"), (25_200, "7 hours"),
            (168_000, "47 hours"), (172_795, "2 days"), (864_000, "10 days"),
            (Int64.max, "106751991167301 days"),
        ] as [(Int64, String)]
    )
    func aDurationHasOneUnit(seconds: Int64, words: String) {
        #expect(Duration.seconds(seconds).words == words)
    }
}
