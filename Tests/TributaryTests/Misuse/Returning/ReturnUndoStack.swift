import Tributary

func stack(_ background: BackgroundContext) async {
    #if MISUSE
        let stack = await background.perform { $0.undoStack }  // error:
        print(stack?.canUndo as Any)
    #else
        print(await background.perform { $0.undoStack?.canUndo } as Any)
    #endif
}
