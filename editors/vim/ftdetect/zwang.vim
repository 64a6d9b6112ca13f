autocmd BufNewFile,BufRead *.zw setfiletype zwang
