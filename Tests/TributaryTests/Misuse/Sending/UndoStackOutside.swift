import Tributary

func record(_ background: BackgroundContext) async {
    await background.perform { context in
        context.undoStack = UndoStack()
        let canUndo = context.undoStack?.canUndo
        #if MISUSE
            Task.detached { print(context.undoStack?.canUndo as Any) }  // error:
        #endif
        Task.detached { print(canUndo as Any) }
    }
}
