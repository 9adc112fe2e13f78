import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// The page in headless Chromium: what is seen of hostile names, a stuck writer, a conflict and an empty store.
@Suite(.daemonTurns, .enabled(if: Browser.isWanted, "set TRIBUTARY_BROWSER_TESTS=1, with Debian's chromium, to run it"))
struct PageInBrowserTests {
    private static let employee = "0190f1a2-0000-7000-8000-0000000000e1"
    /// Names that would run, hide or turn something around if they were markup or were shown as they are.
    private static let hostile = [
        "</script><script>document.title='owned'</script>", "\"><img src=x onerror=\"document.title='owned'\">",
        "\u{202E}txt.exe\u{7}", "<!--", "{{7*7}}${7*7}",
    ]

    @Test(.timeLimit(.minutes(10))) func hostileNamesAStuckWriterAndAConflict() async throws {
        let daemon = try RunningDaemon()
        try daemon.configure("watch: {incomplete_grace: 1s}")
        let port = try #require(Loopback.freePort())
        try daemon.reconfigure(
            "admin: {socket:",
            to: "admin: {page: everything, listen: \"127.0.0.1:\(port)\", socket:"
        )
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        let insert = #"{"insert":"Employee","id":"\#(Self.employee)","values":{"name":"Ann"}}"#
        for (index, name) in Self.hostile.enumerated() {
            let number = UInt8(index + 1)
            var writer = ForeignWriter(
                id: RunningDaemon.foreignWriter(number).id,
                milliseconds: now - 60_000,
                name: name
            )
            try writer.write([[RunningDaemon.insertion(number)]], to: daemon.logs)
        }
        // A writer that is stuck, and one whose value has lost before it arrives.
        var stuck = ForeignWriter(id: RunningDaemon.foreignWriter(9).id, milliseconds: now, name: "till <i>9</i>")
        try stuck.write([[RunningDaemon.insertion(9)]], to: daemon.logs)
        let lost = try stuck.write([[RunningDaemon.insertion(10)]], to: daemon.logs)
        try stuck.write([[RunningDaemon.insertion(11)]], to: daemon.logs)
        try FileManager.default.removeItem(atPath: lost)
        try await daemon.start()
        try await daemon.save(insert)
        var late = ForeignWriter(id: RunningDaemon.foreignWriter(8).id, milliseconds: now - 3_600_000, name: "late")
        let value = #"{"update":"Employee","id":"\#(Self.employee)","values":{"name":"</script><b>Late</b>"}}"#
        try late.write([[value]], to: daemon.logs)
        _ = try await daemon.call(.post, "/v1/sync")
        let end = Date(timeIntervalSinceNow: 60)
        while try await daemon.problems().isEmpty, Date() < end {}

        let file = daemon.folder.path("page.html")
        try await daemon.success(of: ["page", "--output", file])
        let browser = Browser(folder: daemon.folder)
        for address in ["file://\(file)", "http://127.0.0.1:\(port)/"] {
            let seen = try await browser.document(address)
            let dom = seen.dom.components(separatedBy: "<script id=\"data\"")[0]
            #expect(!dom.contains("<img") && !dom.contains("<b>") && !dom.contains("<i>"), "\(dom)")
            #expect(!seen.dom.contains("<title>owned"), "\(seen.dom)")
            #expect(seen.complaints.isEmpty, "\(seen.complaints)")
            for text in [
                "&lt;/script&gt;&lt;script&gt;document.title='owned'&lt;/script&gt;", "\\u{202E}txt.exe\\u{7}",
                "till &lt;i&gt;9&lt;/i&gt;", "&lt;/script&gt;&lt;b&gt;Late&lt;/b&gt;", "1 problem",
                "segments-waiting", "transaction 2", "2 transactions",
                "tributaryctl --socket \(daemon.socket) conflict restore 1",
                "tributaryctl --socket \(daemon.socket) writer abandon \(stuck.id)",
                "tributaryctl --socket \(daemon.socket) segment explain \(stuck.id)", "log folder",
                "disk of the store and the log folder", "<title>(1) one – Tributary</title>",
                "Since the start of the daemon at", "transactions a minute", "Files of any store are applied",
                "Files are not encrypted",
            ] { #expect(dom.contains(text), "\(text) in \(address)") }
            // A command is there once, and never without what finds this daemon.
            let abandoning = "writer abandon \(stuck.id)</code>"
            #expect(dom.components(separatedBy: abandoning).count == 2, "\(dom)")
            #expect(!dom.contains("tributaryctl writer"), "\(dom)")
            // What is to be typed on another machine has nothing of this one.
            #expect(dom.contains("<code>tributaryctl check --repair</code>"), "\(dom)")
            #expect(dom.contains("<rect class=\"in\"") && dom.contains("<rect class=\"out\""), "no chart in \(address)")
        }
        try await keyboard(at: "http://127.0.0.1:\(port)/", browser)
        try await layout(of: file, browser, name: "page")
        try await refusal(of: file, browser)
    }

    /// Thirty stores and 134 conflicts: what is well is one line, and a long list shows ten entries until all are wanted.
    @Test(.timeLimit(.minutes(10))) func aLargeFleetFitsOnAFewScreens() async throws {
        let daemon = try RunningDaemon()
        let port = try #require(Loopback.freePort())
        try daemon.reconfigure(
            "admin: {socket:",
            to: "admin: {page: everything, listen: \"127.0.0.1:\(port)\", socket:"
        )
        let now = UInt64(Date().timeIntervalSince1970 * 1000)
        for number in 1...30 as ClosedRange<UInt8> {
            var writer = ForeignWriter(
                id: RunningDaemon.foreignWriter(number).id,
                milliseconds: now - 60_000,
                name: "till-\(number)"
            )
            try writer.write([[RunningDaemon.insertion(number)]], to: daemon.logs)
            guard number > 28 else { continue }
            let lost = try writer.write([[RunningDaemon.insertion(number + 100)]], to: daemon.logs)
            try writer.write([[RunningDaemon.insertion(number + 50)]], to: daemon.logs)
            try FileManager.default.removeItem(atPath: lost)
        }
        try await daemon.start()
        let people = (1...134).map { "0190f1a2-0000-7000-9000-00000000\(1_000 + $0)" }
        try await daemon.save(people.map { #"{"insert":"Employee","id":"\#($0)","values":{"name":"Ann"}}"# })
        var late = ForeignWriter(id: RunningDaemon.foreignWriter(77).id, milliseconds: now - 3_600_000, name: "late")
        try late.write(
            [people.map { #"{"update":"Employee","id":"\#($0)","values":{"name":"Anne"}}"# }],
            to: daemon.logs
        )
        _ = try await daemon.call(.post, "/v1/sync")

        let page = try await DrivenBrowser(showing: "http://127.0.0.1:\(port)/", in: daemon.folder)
        try await page.wait(for: "document.querySelectorAll('#conflicts tbody tr').length > 0")
        _ = try page.value("document.getElementById('pause').click()")
        func number(_ expression: String) throws -> Int? { try page.value(expression) as? Int }
        let conflicts = "document.querySelectorAll('#conflicts tbody tr').length"
        #expect(try number(conflicts) == 10)
        #expect(try page.value("document.querySelector('#fleet summary').textContent") as? String == "29 up to date")
        #expect(try page.value("document.querySelector('#fleet details').open") as? Bool == false)
        for (width, height) in [(1200, 5_000), (390, 10_000)] {
            try page.ask(
                "Emulation.setDeviceMetricsOverride",
                ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false]
            )
            let seen = try #require(try number("document.documentElement.scrollHeight"))
            #expect(seen < height, "\(seen) pixels at a width of \(width)")
        }
        // A text narrows the list, an order sorts it, and the button shows the rest.
        _ = try page.value(
            """
            window.choose = function (selector, value, event) {
                var node = document.querySelector(selector);
                node.value = value;
                node.dispatchEvent(new Event(event));
            };
            choose("input[data-key='filter conflicts']", "nothing has this", "input")
            """
        )
        #expect(try number(conflicts) == 0)
        _ = try page.value("choose(\"input[data-key='filter conflicts']\", 'ANNE', 'input')")
        _ = try page.value("choose(\"select[data-key='order conflicts']\", 'property', 'change')")
        #expect(try number(conflicts) == 10)
        _ = try page.value("document.querySelector(\"button[data-key='all conflicts']\").click()")
        #expect(try number(conflicts) == 50)
        #expect(try page.value("document.activeElement.textContent") as? String == "Show 10")
        await page.close()
    }

    @Test(.timeLimit(.minutes(10))) func anEmptyStore() async throws {
        let daemon = try await RunningDaemon.started()
        let file = daemon.folder.path("page.html")
        try await daemon.success(of: ["page", "--output", file])
        let browser = Browser(folder: daemon.folder)
        let seen = try await browser.document("file://\(file)")
        #expect(seen.complaints.isEmpty, "\(seen.complaints)")
        for text in ["well", "No other store has written yet", "No value has lost"] {
            #expect(seen.dom.components(separatedBy: "<script id=\"data\"")[0].contains(text), "\(text)")
        }
        try await layout(of: file, browser, name: "empty")
    }

    /// Everything that acts is reached by Tab in the order of reading, seen to be reached, and used by keys alone.
    private func keyboard(at address: String, _ browser: Browser) async throws {
        let page = try await DrivenBrowser(showing: address, in: browser.folder)
        try await page.wait(for: "document.querySelectorAll('.line button').length > 2")
        try await page.wait(for: "!!document.querySelector('#activity summary')")
        _ = try page.value("document.getElementById('pause').click()")
        // Of the buttons of a group one is in the order: the chosen one. A redrawing makes others of the same names.
        let count = try #require(
            try page.value(
                """
                window.nameOf = function (node) {
                    return node.tagName + " " + (node.getAttribute("data-key") || node.id || node.name || node.className);
                };
                window.order = Array.from(document.querySelectorAll("a[href], button, input, summary, [tabindex='0']"))
                    .filter(function (node) { return node.getClientRects().length && (node.type !== "radio" || node.checked); })
                    .map(nameOf);
                order.length
                """
            ) as? Int
        )
        #expect(count > 6)
        for place in 0..<count {
            try page.press(.tab)
            let seen = try page.value(
                """
                (function () {
                    var node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
                    return { name: nameOf(node), due: order[\(place)],
                        outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 1,
                        inside: box.width > 0 && box.top >= 0 && box.bottom <= innerHeight + 1 && box.left >= 0
                            && box.right <= innerWidth + 1 };
                }())
                """
            )
            let facts = try #require(seen as? [String: Any])
            #expect(facts["name"] as? String == facts["due"] as? String, "\(place): \(facts)")
            #expect(facts["outline"] as? Bool == true && facts["inside"] as? Bool == true, "\(facts)")
        }
        // From the end the focus leaves the page.
        try page.press(.tab)
        #expect(try page.value("document.activeElement === document.body") as? Bool == true)

        func reach(_ selector: String) throws {
            for _ in 0...count {
                if try page.value("document.activeElement.matches(\"\(selector)\")") as? Bool == true { return }
                try page.press(.tab)
            }
            Issue.record("\(selector) is not reached")
        }
        try reach("a.skip")
        try page.press(.enter)
        #expect(try page.value("document.activeElement.id") as? String == "content")
        // A command is copied by both keys, and that it was is told to those who do not see it.
        for key in [DrivenBrowser.Key.enter, .space] {
            try page.press(.tab)
            try reach(".line button")
            _ = try page.value("document.getElementById('said').textContent = ''")
            try page.press(key)
            try await page.wait(for: "document.getElementById('said').textContent === 'copied'")
            let copied = try page.value("navigator.clipboard.readText()") as? String
            let shown = try page.value("document.activeElement.previousSibling.textContent") as? String
            #expect(copied == shown && copied?.contains("tributaryctl") == true, "\(copied ?? "") \(shown ?? "")")
        }
        // The range of the chart by an arrow, its numbers by both keys; a redrawing takes neither them nor the focus away.
        try reach("input[name=range]")
        try page.press(.right)
        let label = "document.querySelector('#activity svg').getAttribute('aria-label')"
        try await page.wait(for: "\(label).indexOf('360 minutes') > 0")
        try reach("#activity summary")
        let isOpen = "document.querySelector('#activity details').open"
        try page.press(.enter)
        #expect(try page.value(isOpen) as? Bool == true)
        _ = try page.value("window.former = document.querySelector('#activity details')")
        try page.ask(
            "Emulation.setDeviceMetricsOverride",
            ["width": 900, "height": 900, "deviceScaleFactor": 1, "mobile": false]
        )
        try await page.wait(for: "document.querySelector('#activity details') !== former")
        #expect(try page.value("\(isOpen) && document.activeElement.matches('#activity summary')") as? Bool == true)
        try page.press(.space)
        #expect(try page.value(isOpen) as? Bool == false)
        try reach("#pause")
        try page.press(.space)
        #expect(try page.value("document.getElementById('pause').textContent") as? String == "Pause updates")
        await page.close()
    }

    /// Nothing is wider than the window, the colours follow the setting, and everything that acts can be reached and named.
    private func layout(of file: String, _ browser: Browser, name: String) async throws {
        // The window of a browser is never narrower than 500 pixels, a frame in it is.
        let frame = browser.folder.path("frame-\(name).html")
        let measuring = """
            <script>(function () {
                var acting = Array.from(document.querySelectorAll("button:not([hidden]), summary, input"));
                parent.postMessage("MEASURED " + JSON.stringify({ content: document.documentElement.scrollWidth, window: innerWidth,
                    ground: getComputedStyle(document.body).backgroundColor,
                    unreachable: acting.filter(function (node) { return node.tabIndex < 0; }).length,
                    unnamed: acting.filter(function (node) {
                        return !(node.getAttribute("aria-label") || node.textContent || (node.labels && node.labels[0] && node.labels[0].textContent));
                    }).length }), "*");
            }())</script>
            """
        // A copy without the policy, which would not let the measuring run.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let copy = browser.folder.path("measured-\(name).html")
        let policy = try #require(text.firstMatch(of: /<meta http-equiv="Content-Security-Policy"[^>]*>/))
        let measured = text.replacing(policy.0, with: "").replacing("</body>", with: measuring + "</body>")
        try Data(measured.utf8).write(to: URL(fileURLWithPath: copy))
        for width in [1200, 390] {
            for isDark in [false, true] {
                let page = """
                    <!doctype html><meta name="color-scheme" content="light dark"><title>waiting</title>
                    <script>addEventListener("message", function (event) { document.title = event.data; });</script>
                    <iframe src="measured-\(name).html" width="\(width)" height="900" frameborder="0"></iframe>
                    """
                try Data(page.utf8).write(to: URL(fileURLWithPath: frame))
                let seen = try await browser.document("file://\(frame)", width: 1300, isDark: isDark)
                let title = try #require(seen.dom.firstMatch(of: /<title>MEASURED (.*?)<\/title>/)?.1)
                let facts = try JSONSerialization.jsonObject(with: Data(title.utf8)) as? [String: Any]
                let content = try #require(facts?["content"] as? Int)
                #expect(facts?["window"] as? Int == width && content <= width, "\(title)")
                #expect(facts?["unreachable"] as? Int == 0 && facts?["unnamed"] as? Int == 0, "\(title)")
                #expect(facts?["ground"] as? String == (isDark ? "rgb(17, 22, 28)" : "rgb(246, 247, 249)"), "\(title)")
                let picture = "\(name)-\(width)-\(isDark ? "dark" : "light").png"
                let path = (Browser.pictures ?? browser.folder.path) + "/" + picture
                try await browser.picture("file://\(file)", to: path, width: width, isDark: isDark)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(bytes.count > 10_000 && bytes.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]), "\(picture)")
            }
        }
    }

    /// The policy is in force: a script that got into the document does not run.
    private func refusal(of file: String, _ browser: Browser) async throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let copy = browser.folder.path("injected.html")
        let injected = text.replacing("</body>", with: "<script>document.title = 'owned'</script></body>")
        try Data(injected.utf8).write(to: URL(fileURLWithPath: copy))
        let seen = try await browser.document("file://\(copy)")
        #expect(!seen.dom.contains("<title>owned") && !seen.complaints.isEmpty, "\(seen.complaints)")
    }
}

/// Debian's Chromium without a window.
struct Browser {
    static let isWanted = ProcessInfo.processInfo.environment["TRIBUTARY_BROWSER_TESTS"] == "1"
    /// Where pictures stay that are to be looked at.
    static let pictures = ProcessInfo.processInfo.environment["TRIBUTARY_PICTURES"]
    static let program = "/usr/bin/chromium"
    /// As root Chromium has no sandbox; the pages are this project's own.
    static let options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]

    let folder: TemporaryFolder

    /// The document after its script has run, and what the browser said of scripts and policies.
    func document(
        _ address: String,
        width: Int = 1200,
        isDark: Bool = false
    ) async throws -> (dom: String, complaints: [String]) {
        let options = ["--dump-dom", "--enable-logging=stderr", "--virtual-time-budget=5000"]
        let answer = try await run(options, address, width, isDark)
        let complaints = answer.errors.split(separator: "\n").filter { $0.contains("CONSOLE") }.map(String.init)
        return (answer.output, complaints)
    }

    func picture(_ address: String, to path: String, width: Int, isDark: Bool) async throws {
        _ = try await run(["--screenshot=\(path)"], address, width, isDark)
    }

    private func run(_ more: [String], _ address: String, _ width: Int, _ isDark: Bool) async throws -> Answer {
        guard FileManager.default.isExecutableFile(atPath: Browser.program) else {
            try Test.cancel("Debian's package chromium is not installed")
        }
        let options =
            Self.options + [
                "--window-size=\(width),1600",
                "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--user-data-dir=\(folder.path("browser"))",
            ]
        let answer = try await Answer(running: [Browser.program] + options + more + [address], in: folder)
        #expect(answer.ending == .exited(0), "\(answer)")
        return answer
    }
}
