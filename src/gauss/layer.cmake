zwang_shelves(dense forms sparse diagnosis inequality)
