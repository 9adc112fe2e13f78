import Tributary

@MainActor
final class Table {
    var rows = 0
}

func observe(_ background: BackgroundContext, _ table: Table) async {
    await background.perform { context in
        context.observeChanges { change in
            let count = change.inserted.count
            #if MISUSE
                table.rows += count  // error:
            #endif
            Task { @MainActor in table.rows += count }
        }
    }
}
