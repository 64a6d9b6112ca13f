# Models that were written to break the limits of depth, instances, memory, time and output: each is refused with its code, soon.
load common

setup() { cd "$BATS_TEST_TMPDIR"; }

# refused CODE STATUS TEXT ARGUMENT...: the command, with the model of that text.
refused() {
    code=$1 expected=$2
    printf '%s' "$3" >hostile.zw
    shift 3
    run --separate-stderr timeout 60 "$ZWANG" "$@"
    [ "$status" -eq "$expected" ] || { echo "$code: status $status, $stderr" && return 1; }
    says "error[$code]"
}

head="coord x
kinetic x'^2/2
"
many() { printf "%0$2d" 0 | sed "s/0/$1/g"; }

@test "depth: brackets, signs, functions and parts within themselves" {
    refused E0035 1 "${head}potential $(many '(' 50000)x$(many ')' 50000)
" check hostile.zw
    refused E0035 1 "${head}potential $(many - 50000)x
" check hostile.zw
    refused E0114 1 "let f(a) = f(a)
${head}potential f(x)
" check hostile.zw
}

@test "instances: arrays and loops without measure" {
    refused E0305 1 "coord x[1000000000]
kinetic x[1]'^2/2
" check hostile.zw
    refused E0316 1 "${head}for i in 1..100000 {
  for j in 1..100000 {
    force x: i*j
  }
}
" check hostile.zw
}

@test "memory: a family that is larger than what it may take" {
    refused E0319 1 "param N = 3000000
coord x[N]
for i in 1..N { kinetic x[i]'^2/2 }
" check hostile.zw --max-memory 50M
}

@test "time and output: a run without end, rows without number, a limit of the system for files" {
    refused E0816 3 "${head}force x: sin(1e9*t)
simulate t = 0..1e9
" run hostile.zw --max-time 0.5 --patience 1e18 -q -o rows.csv
    refused E0803 2 "${head}simulate t = 0..1e6, every = 1e-12
" run hostile.zw -q -o rows.csv
    rm -f rows.csv
    ulimit -f 100
    refused E0813 1 "${head}start x' = 1
simulate t = 0..1e4, every = 0.01
" run hostile.zw -q -o rows.csv
    [ ! -e rows.csv ]
}
