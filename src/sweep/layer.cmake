zwang_shelves(design plan work result)
