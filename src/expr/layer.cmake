zwang_shelves(reading)
