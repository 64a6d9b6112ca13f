zwang_shelves(evaluate given elaborate derive families print)
