zwang_shelves(evaluate elaborate derive families print)
