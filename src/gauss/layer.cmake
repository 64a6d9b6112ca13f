zwang_shelves(dense forms sparse diagnosis contact modes inequality)
