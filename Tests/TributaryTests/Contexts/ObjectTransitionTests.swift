import Foundation
import TestSupport
import Testing

@testable import Tributary

/// The table in the documentation of ``ObjectTransition`` is what the code does, cell by cell.
@Suite struct ObjectTransitionTests {
    private static let states: [ObjectState] = [.inserted, .clean, .updated, .deleted, .gone, .detached]

    /// All events by the names that the table gives them.
    private static let events: [(name: String, event: ObjectEvent)] =
        [
            ("insert", .insert), ("edit", .edit), ("delete", .delete), ("purge", .purge),
            ("loadFailure", .loadFailure), ("invalidate", .invalidate), ("refresh", .refresh),
            ("rollBack", .rollBack(isNeverSaved: false)), ("rollBackNeverSaved", .rollBack(isNeverSaved: true)),
            ("save", .save), ("saveDeletion", .saveDeletion(isLost: false)), ("saveLoss", .saveDeletion(isLost: true)),
            ("resurrect", .resurrect(isChanged: false)), ("resurrectChanged", .resurrect(isChanged: true)),
            ("revertToRow", .revertToRow), ("detach", .detach),
        ] + states.map { ("restore" + $0.rawValue.prefix(1).uppercased() + $0.rawValue.dropFirst(), .restore($0)) }

    private static let actions: [String: ObjectTransition.Actions] = [
        "list": .list, "unlist": .unlist, "register": .register, "unregister": .unregister,
        "followDeleteRules": .followDeleteRules, "stopDeleteRules": .stopDeleteRules,
        "markNeverSaved": .markNeverSaved, "clearChanges": .clearChanges, "forgetLinks": .forgetLinks,
        "changeVisibility": .changeVisibility, "revertInverses": .revertInverses, "keepConflict": .keepConflict,
        "removal": [.clearChanges, .changeVisibility, .unregister, .notifyDeletion],
        "reportLostEdits": .reportLostEdits, "notifyUpdate": .notifyUpdate, "notifyDeletion": .notifyDeletion,
    ]

    private struct Cell: Hashable {
        var event: String
        var state: ObjectState
    }

    private struct Result: Equatable {
        var next: ObjectState
        var actions: ObjectTransition.Actions
    }

    /// The cells of the table; `any` stands for all states but `detached`.
    private func documentedCells() throws -> [Cell: Result] {
        let path = PackageFolder.path("Sources/Tributary/Contexts/ObjectTransition.swift")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var cells: [Cell: Result] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("/// | ") {
            let columns = line.split(separator: "|").dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }
            guard columns.count == 4, columns[0] != "event" else { continue }
            let next = try #require(ObjectState(rawValue: columns[2]), "\(line)")
            let actions = try columns[3].split(separator: ",").map { name in
                try #require(Self.actions[name.trimmingCharacters(in: .whitespaces)], "\(name)")
            }
            let from =
                columns[1] == "any"
                ? Self.states.filter { $0 != .detached } : [try #require(ObjectState(rawValue: columns[1]), "\(line)")]
            for state in from {
                let cell = Cell(event: columns[0], state: state)
                #expect(Self.events.contains { $0.name == cell.event }, "no event is called \(cell.event)")
                #expect(cells[cell] == nil, "\(cell) is there twice")
                cells[cell] = Result(next: next, actions: ObjectTransition.Actions(actions))
            }
        }
        return cells
    }

    @Test func eachCellIsAsDocumented() throws {
        let cells = try documentedCells()
        #expect(cells.count > 60)
        for (name, event) in Self.events {
            for state in Self.states {
                let transition = ObjectTransition(from: state, on: event)
                let expected = cells[Cell(event: name, state: state)] ?? Result(next: state, actions: [])
                #expect(transition.from == state)
                #expect(
                    Result(next: transition.to, actions: transition.actions) == expected,
                    "\(name) from \(state)"
                )
            }
        }
    }

    private func isListed(_ state: ObjectState) -> Bool { [.inserted, .updated, .deleted].contains(state) }

    @Test func theListHasExactlyTheChangedObjects() {
        for (name, event) in Self.events where name != "detach" {
            for state in Self.states {
                let transition = ObjectTransition(from: state, on: event)
                let actions = transition.actions
                #expect(!actions.contains([.list, .unlist]), "\(name) from \(state)")
                // Objects that were listed stay so without an action.
                let isListedAfter =
                    actions.contains(.list) || (isListed(state) && !actions.contains(.unlist))
                #expect(isListedAfter == isListed(transition.to), "\(name) from \(state)")
            }
        }
    }

    @Test func anObjectThatGoesLeavesTheRegistryAndOneThatComesBackJoinsIt() {
        for (name, event) in Self.events {
            for state in Self.states where state != .gone && state != .detached {
                let transition = ObjectTransition(from: state, on: event)
                #expect(
                    (transition.to == .gone) == transition.actions.contains(.unregister),
                    "\(name) from \(state)"
                )
            }
            let back = ObjectTransition(from: .gone, on: event)
            let isBack = back.to != .gone && back.to != .detached
            #expect(isBack == back.actions.contains(.register), "\(name) from gone")
        }
    }

    @Test func nothingMovesADetachedObject() {
        for (name, event) in Self.events where name != "detach" {
            let transition = ObjectTransition(from: .detached, on: event)
            #expect(transition.to == .detached && transition.actions.isEmpty, "\(name)")
        }
    }
}
