" Vim syntax file
" Language: models of Zwang (.zw)

if exists("b:current_syntax")
  finish
endif

syntax case match
syntax keyword zwangStatement model use param coord let lagrangian kinetic potential dissipation mass force nonideal constraint control weight start output when draw simulate for if else component part restitution friction data input
syntax keyword zwangWord and or not in at fixed stop along by within static pressure tangential sum
syntax keyword zwangFunction sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max floor hypot dot cross outer norm transpose inverse det multiplier reaction gap slip contact impulse
syntax keyword zwangConstant t pi deg
syntax match zwangNumber "\v<\d+(\.\d+)?([eE][+-]?\d+)?>"
syntax region zwangString start=+"+ end=+"+ oneline
syntax match zwangPrime "'\+"
syntax match zwangOperator "[-+*/^=<>]\|\.\."
syntax match zwangComment "#.*$" contains=@Spell,zwangTodo
syntax keyword zwangTodo TODO contained

highlight default link zwangStatement Statement
highlight default link zwangWord Keyword
highlight default link zwangFunction Function
highlight default link zwangConstant Constant
highlight default link zwangNumber Number
highlight default link zwangString String
highlight default link zwangPrime Special
highlight default link zwangOperator Operator
highlight default link zwangComment Comment
highlight default link zwangTodo Todo

let b:current_syntax = "zwang"
