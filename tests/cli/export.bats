# zwang export: files, options, refusals. What the code computes is compared in tests/export.
load common

swing="param m = 2, l = 1.5
input push = 0
coord x, y
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
force x: push
constraint rod: x^2 + y^2 = l^2
start x = l, y = 0"

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# refused CODE PLACE OPTION...: the model is refused there, and no file is written.
refused() {
    local code=$1 place=$2
    shift 2
    zwang export c model.zw -o out "$@"
    has_status 1
    says "model.zw:$place" "error[$code]"
    [ ! -e out/model.c ]
}

@test "a folder, two files, twice the same bytes" {
    model "$swing"
    zwang export c model.zw -o out
    has_status 0
    [ -z "$output" ] && [ -f out/model.c ] && [ -f out/model.h ]
    zwang export -o again model.zw c
    has_status 2
    zwang export -o again c model.zw
    has_status 0
    cmp out/model.c again/model.c && cmp out/model.h again/model.h
    grep -q "MODEL_Q_x = 0" out/model.h && grep -q "MODEL_P_push = 2" out/model.h
    grep -q "MODEL_ROW_rod = 0" out/model.h
}

@test "both compilers take it without a warning, in every form" {
    model "$swing"
    for options in "" "--float" "--no-math" "--float --no-math --main" "--main --name arm"; do
        zwang export c model.zw -o out $options
        has_status 0
        for compiler in gcc clang; do
            command -v $compiler >/dev/null || continue
            for file in out/*.c; do
                $compiler -std=c99 -O2 -Wall -Wextra -pedantic -Werror -c "$file" -o one.o
            done
        done
    done
    [ -f out/arm.c ] && [ -f out/arm.h ]
}

@test "without math.h nothing of a library is asked for" {
    model "$swing"
    zwang export c model.zw -o out --no-math
    gcc -std=c99 -O2 -ffreestanding -c out/model.c -o one.o
    run nm -u one.o
    [ -z "$(echo "$output" | grep -vwE 'memset|memcpy|memmove|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail' | tr -d ' ')" ] ||
        { echo "$output" && return 1; }
}

@test "for processors without an operating system, and for AArch64" {
    model "$swing"
    zwang export c model.zw -o out --no-math --float
    if command -v arm-none-eabi-gcc >/dev/null; then
        arm-none-eabi-gcc -std=c99 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -Os \
            -ffreestanding -Wall -Wextra -pedantic -Werror -c out/model.c -o one.o
    fi
    if command -v aarch64-linux-gnu-gcc >/dev/null; then
        aarch64-linux-gnu-gcc -std=c99 -O2 -Wall -Wextra -pedantic -Werror -c out/model.c -o one.o
    fi
}

@test "what does not move smoothly is refused at its place, unless the mode at the start is wanted" {
    model "coord y
kinetic y'^2/2
potential 9.81*y
constraint ground: y >= 0
start y = 1"
    refused E0791 4:12
    zwang export c model.zw -o out --smooth --main
    has_status 0
    gcc -std=c99 -O1 out/model.c -o falls -lm
    ./falls | awk -F, 'NR == 2 && $2 != 1 { exit 1 } END { exit $2 < -3.9 && $2 > -3.91 ? 0 : 1 }'
    model "coord y
kinetic y'^2/2
start y = 1, y' = -1
when y < 0: y' = -y'"
    rm -r out
    refused E0791 4:1
}

@test "friction that slides goes on sliding with --smooth" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
potential 10*y
constraint ground: y >= 0
friction ground: 0.25 along x'
start x' = 3"
    refused E0791 4:12
    zwang export c model.zw -o out --smooth --main
    has_status 0
    gcc -std=c99 -O1 out/model.c -o slides -lm
    ./slides | awk -F, 'END { exit $2 > 1.7499 && $2 < 1.7501 ? 0 : 1 }'
}

@test "motors, large models and compromises are refused" {
    model "coord x
kinetic x'^2/2
control go: x = sin(t) by x within -1..1"
    zwang export c model.zw -o out
    has_status 1
    says "error[E0792]"
    model "coord x
kinetic x'^2/2
output e = energy"
    zwang export c model.zw -o out
    has_status 1
    says "model.zw:3:12: error[E0795]"
    model "param n = 250
coord x[n], y[n]
for i in 1..n { kinetic (x[i]'^2 + y[i]'^2)/2 }"
    zwang export c model.zw -o out
    has_status 1
    says "error[E0793]" "500 coordinates and rows" "at most 400"
    model "coord x
kinetic x'^2/2
constraint left: x = 0
constraint right: x = 2
simulate inconsistent = accept"
    zwang export c model.zw -o out --inconsistent accept
    has_status 1
    says "error[E0794]"
}

# unpack FILE: the members of a stored zip, by the reader of others.
unpack() {
    rm -rf inside && mkdir inside
    node -e '
        const fs = require("fs"), path = require("path"), bytes = fs.readFileSync(process.argv[1]);
        for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50;) {
            const size = bytes.readUInt32LE(at + 18), name = bytes.readUInt16LE(at + 26);
            const from = at + 30 + name + bytes.readUInt16LE(at + 28);
            const file = path.join("inside", bytes.toString("utf8", at + 30, at + 30 + name));
            fs.mkdirSync(path.dirname(file), { recursive: true });
            fs.writeFileSync(file, bytes.subarray(from, from + size));
            at = from + size;
        }' "$1"
}

@test "an FMU of either standard, twice the same bytes" {
    model "$swing"
    for version in 2 3; do
        zwang export fmu model.zw -o one.fmu --fmi $version
        has_status 0
        [ -z "$output" ]
        zwang export fmu model.zw -o two.fmu --fmi $version
        cmp one.fmu two.fmu
        unpack one.fmu
        grep -q "fmiVersion=\"$version.0\"" inside/modelDescription.xml
        grep -q "<ModelExchange modelIdentifier=\"model\"" inside/modelDescription.xml
        grep -q "<CoSimulation modelIdentifier=\"model\"" inside/modelDescription.xml
        grep -q 'name="push".*causality="input"' inside/modelDescription.xml
        grep -q 'name="l".*variability="tunable"' inside/modelDescription.xml
        cmp model.zw inside/resources/model.zw
        [ -f inside/binaries/*/model.so ]
        grep -q "constraint rod" inside/documentation/index.html
        grep -q "<math" inside/documentation/index.html
    done
    if command -v unzip >/dev/null; then unzip -q -t one.fmu; fi
    if command -v xmllint >/dev/null; then xmllint --noout inside/modelDescription.xml; fi
    zwang export fmu model.zw -o two.fmu --fmi 3 --set l=2
    ! cmp -s one.fmu two.fmu
}

@test "an FMU needs the C library alone" {
    model "$swing"
    zwang export fmu model.zw -o one.fmu
    unpack one.fmu
    run ldd inside/binaries/*/model.so
    [ -z "$(echo "$output" | grep -vE 'linux-vdso|libm\.so|libc\.so|ld-linux|lib(asan|ubsan|gcc_s|rt|dl|pthread|resolv)|libclang_rt')" ] ||
        { echo "$output" && return 1; }
}

@test "modules, data and settings are in the FMU" {
    echo "component Weight(m) { coord y; kinetic m/2*y'^2 }" >weights.zw
    printf 't,f\n0,1\n1,2\n2,5\n' >drive.csv
    model "use weights
data drive = \"drive.csv\", linear
input u = 0
param m = 2
part w = Weight(m)
force w.y: drive(t) + u"
    zwang export fmu model.zw -o one.fmu --set m=3 --input "u = sin(t)" --solver dense
    has_status 0
    unpack one.fmu
    cmp weights.zw inside/resources/modules/weights.zw
    cmp drive.csv inside/resources/data/drive.csv
    grep -q "set m=3" inside/resources/settings.txt
    grep -q "input u = sin(t)" inside/resources/settings.txt
    ! grep -q 'causality="input"' inside/modelDescription.xml
}

@test "what an FMU does otherwise is said" {
    model "coord y
kinetic y'^2/2
potential 9.81*y
constraint ground: y >= 0
start y = 1
simulate t = 0..2, method = auto"
    zwang export fmu model.zw -o one.fmu
    has_said 0
    says "remark[R0849]" "by dop853, not by auto"
    says "remark[R0850]" "for Co-Simulation only"
    unpack one.fmu
    ! grep -q "<ModelExchange" inside/modelDescription.xml
    cp "$ZWANG" alone
    run env LD_LIBRARY_PATH="$(dirname "$ZWANG")" ./alone export fmu model.zw -o two.fmu
    [ "$status" -eq 1 ]
    [[ $output == *"error[E0848]"* ]]
    [ ! -e two.fmu ]
}

@test "options of one form are not for the other" {
    model "$swing"
    zwang export fmu model.zw -o one.fmu --float
    has_status 2
    says "error[E0805]" "--float is an option of zwang export c only"
    zwang export c model.zw -o out --fmi 3
    has_status 2
    says "error[E0805]"
    zwang export fmu model.zw -o one.fmu --fmi 1
    has_status 2
    says "--fmi"
    zwang export fmu model.zw
    has_status 2
    says "a file for the FMU is missing"
    [ ! -e one.fmu ]
}

@test "wrong words" {
    model "$swing"
    zwang export c model.zw
    has_status 2
    says "a folder for the files is missing"
    zwang export d model.zw -o out
    has_status 2
    says "cannot be exported as"
    zwang export
    has_status 2
    zwang export c model.zw -o out --name 2arm
    has_status 2
    says "--name"
    zwang export c model.zw -o model.zw
    [ "$status" -ne 0 ]
    echo x >file
    zwang export c model.zw -o file
    has_status 1
}
