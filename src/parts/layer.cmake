zwang_shelves(survey cut writer rest)
