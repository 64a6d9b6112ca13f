# zwang draw, plot, view and run --report: pictures without a browser, and the file of a page. Pictures
# are compared with those kept in tests/cli/pictures, byte by byte; `KEEP=yes bats pictures.bats` writes
# them anew, to be looked at before they are kept.
load common

setup() { cd "$BATS_TEST_TMPDIR"; }

# kept FILE: is the one that is kept.
kept() {
    local old=$BATS_TEST_DIRNAME/pictures/$1
    [ "${KEEP:-}" != yes ] || cp "$1" "$old"
    cmp "$1" "$old"
}

# page FILE EXPRESSION: what JavaScript says of the JSON j of a page; f(name) is a column.
page() {
    node -e '
const text = require("fs").readFileSync(process.argv[1], "utf8");
const inside = text.match(/<script type="application\/json" id="zwang-page">([\s\S]*?)<\/script>/)[1];
if (inside.includes("<")) throw new Error("a < in the JSON");
const j = JSON.parse(inside), b = Buffer.from(j.data.base64, "base64"), wide = j.data.type === "f8" ? 8 : 4;
if (b.length !== wide * j.data.rows * j.data.columns.length) throw new Error("wrong size");
const f = (name) => { const k = j.data.columns.findIndex((c) => c.name === name);
    return Array.from({length: j.data.rows}, (_, i) => wide === 8 ? b.readDoubleLE(8*(k*j.data.rows + i)) : b.readFloatLE(4*(k*j.data.rows + i))); };
console.log(eval(process.argv[2]));' "$1" "$2"
}

pendulum='coord x1, y1, x2, y2
param g = 9.81
kinetic (x1'\''^2 + y1'\''^2 + x2'\''^2 + y2'\''^2)/2
potential g*(y1 + y2)
constraint rod: (x1 - 0.5)^2 + y1^2 = 1
constraint bar: hypot(x2 - x1, y2 - y1) = 1
start x1 = 1.5, y1 = 0, x2 = 2.5, y2 = 0
simulate t = 0..1'

@test "a still, a strip and frames are those that are kept" {
    printf "%s\n" "$pendulum" >pendulum.zw
    zwang draw pendulum.zw -o still.svg -q
    has_status 0
    zwang draw pendulum.zw --at 0,0.5,1 -o strip.svg -q
    has_status 0
    zwang draw pendulum.zw --frames film --every 0.5 -q
    has_status 0
    [ "$(ls film | tr '\n' ' ')" = "0001.svg 0002.svg 0003.svg " ]
    kept still.svg
    kept strip.svg
    cp film/0002.svg frame.svg
    kept frame.svg
}

@test "every shape is drawn, in the plane and in space" {
    printf '%s\n' 'use rigid
part table = Ground()
part b = Body(1, box_inertia(1, 0.4, 0.6, 0.8), at = [0, 0, 0.6], turned = axis_angle([1, 1, 0], 0.4), W0 = [0, 1, 2])
part skin = Ellipsoid(0.2, 0.3, 0.4)
part pin = Ball(table, b, at = [0, 0, 0])
draw box(b, [0.2, 0.3, 0.4]), color = "teal"
draw surface([1, 0, 0.5], b.R, skin)
draw cylinder([0, -1, 0], [0, -1, 1], 0.1), color = "#c60"
draw spring([0, 0, 0], b.r)
draw arrow(b.r, b.r'\''/4), color = crimson
draw polygon([-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]), color = "#ddd"
draw ball([-1, 0, 0.3], 0.1)
draw line([0, 0, 0], [0, 0, 1], [0, 1, 1]), width = 3
draw point([0, 0, 0]), width = 8
draw trail(b.r)
draw text([0, 0, 1], "a < b & \"c\"")' >shapes.zw
    zwang draw shapes.zw --at 0,1 -o shapes.svg -q
    has_status 0
    kept shapes.svg
    grep -q '>a &lt; b &amp; &quot;c&quot;</text>' shapes.svg
    printf '%s\n' 'use planar
part b = Body(1, 0.1, at = [1, 1], w0 = 1)
part wheel = Ellipse(0.3, 0.2)
draw box(b, [1, 0.3])
draw surface(b, wheel), color = gold
draw cylinder([0, 0], b.r, 0.1)
draw spring([0, 0], b.r)
draw polygon([0, 0], [1, 0], [0, 1])
draw arrow([0, 0], [0, 1])' >flat.zw
    zwang draw flat.zw --at 0,1 -o flat.svg -q
    has_status 0
    kept flat.svg
}

@test "a model without draw is drawn by its bodies and joints" {
    printf '%s\n' 'use planar
part g = Ground()
part crank = Body(1, 0.1, at = [0.5, 0])
part coupler = Bar(1, [1, 0], [2, 1])
part a = Hinge(g, crank, at = [0, 0])
part b = Hinge(crank, coupler, at = [1, 0])
part s = Spring(g, coupler, 5, from = [2, 0], to = [2, 1])' >linkage.zw
    zwang run linkage.zw --until 0 --columns draw -q
    has_status 0
    # box, bar, two joints, the spring
    [[ $output == t,*'"draw[1,3,2]","draw[2,1,1]"'*'"draw[3,1,2]"'*'"draw[4,1,2]","draw[5,1,1]"'*'"draw[5,2,2]"'* ]]
    [[ $output != *'draw[6,'* ]]
    zwang draw linkage.zw -o linkage.svg -q
    kept linkage.svg
}

@test "the bits of a run do not depend on what is drawn by default" {
    printf '%s\n' "use rigid
part g = Ground()
part b = Body(1, box_inertia(1, 1, 2, 3), at = [0, 1, 0], W0 = [1, 2, 0.1], gravity = [0, 0, -9.81])
part h = Ball(g, b)
part s = Spring(g, b, 3, from = [1, 1, 1])
simulate t = 0..2" >default.zw
    { cat default.zw && echo 'draw point([0, 0, 0])'; } >own.zw
    "$ZWANG" run default.zw -q >default.csv
    "$ZWANG" run own.zw -q >own.csv
    cmp default.csv own.csv
}

@test "nothing to draw: an error, and a page with plots only" {
    printf '%s\n' "coord th
kinetic th'^2/2
potential -cos(th)
start th = 1
simulate t = 0..1" >swing.zw
    zwang draw swing.zw
    has_status 1
    says "E0831"
    zwang view swing.zw --no-open -o swing.html
    [ "$status" -eq 0 ]
    says "R0834"
    [ "$(page swing.html '"scene" in j')" = false ]
}

@test "options of draw that do not go together: status 2" {
    printf "%s\n" "$pendulum" >pendulum.zw
    for words in "--at 0 --every 1" "--every 1" "--frames d -o x.svg" "--at 0,x" "--at -1"; do
        # shellcheck disable=SC2086
        zwang draw pendulum.zw $words
        has_status 2
    done
}

@test "plots: the terminal, SVG, and results in three formats alike" {
    printf "%s\n" "$pendulum" >pendulum.zw
    COLUMNS=60 LINES=16 "$ZWANG" plot pendulum.zw x1 "y2, kinetic" -q >plot.txt
    kept plot.txt
    zwang plot pendulum.zw x1 y2 -o curves.svg -q
    has_status 0
    kept curves.svg
    for form in csv json npz; do
        "$ZWANG" run pendulum.zw -q -o "run.$form"
        "$ZWANG" plot "run.$form" x1 "y2" >"$form.txt"
        cmp csv.txt "$form.txt"
    done
    zwang plot run.csv y1 --against x1
    has_status 0
    [[ $output == y1* && $output == *" x1" ]]
    zwang plot run.csv xx
    has_status 1
    says "E0832" "the columns are t, x1"
    printf 't,x\n1,2\n3\n' >broken.csv
    zwang plot broken.csv
    has_status 1
    says "E0833"
    zwang plot run.csv x1 -o plot.png
    has_status 2
}

@test "results that are cut, at every byte, are refused or read, never more" {
    printf "%s\n" "$pendulum" >pendulum.zw
    "$ZWANG" run pendulum.zw --at 0,1 --columns x1 -q -o whole.npz
    size=$(wc -c <whole.npz)
    for length in $(seq 0 7 "$size"); do
        head -c "$length" whole.npz >cut.npz
        "$ZWANG" plot cut.npz >/dev/null 2>&1 && continue
        [ $? -eq 1 ]
    done
}

@test "a page has the run in it: numbers, scene, forces, verdict, equations" {
    printf "%s\n" "$pendulum" >pendulum.zw
    zwang run pendulum.zw --report page.html -o rows.csv
    [ "$status" -eq 0 ]
    [ "$(page page.html 'j.data.rows')" = 501 ]
    [ "$(page page.html 'f("x1")[500]')" = "$(tail -n 1 rows.csv | cut -d , -f 2)" ]
    [ "$(page page.html 'j.verdict.trust + "; " + j.verdict.lines[j.verdict.lines.length - 1]')" = "ok; trust        ok" ]
    [ "$(page page.html 'j.constraints.map((c) => c.name + c.rows + c.kind).join()')" = "rod1holonomic,bar1holonomic" ]
    [ "$(page page.html 'JSON.stringify(j.parameters)')" = '[{"name":"g","value":9.81}]' ]
    [ "$(page page.html 'j.equations.length > 2 && j.equations.every((e) => e.mathml.startsWith("<math"))')" = true ]
    [ "$(page page.html 'j.scene.default && j.scene.shapes.length')" = 5 ]
    # the length of an arrow is the force of its time
    [ "$(page page.html 'j.forces[1].name + " " + j.data.columns[j.forces[1].v[0].c].name')" = "x2, y2 force_ideal(x2)" ]
    [ "$(page page.html 'f("step size")[500] > 0 && j.command')" = "zwang run pendulum.zw --report page.html -o rows.csv" ]
    grep -q "default-src 'none'" page.html
}

@test "nothing of a model can leave the JSON of its page" {
    printf '%s\n' 'model "</script><script>alert(1)</script> <!-- ü"
coord x, y
kinetic (x'\''^2 + y'\''^2)/2
draw text([x, y], "</script><b>")
simulate t = 0..1' >hostile.zw
    zwang run hostile.zw --report hostile.html -o rows.csv -q
    has_status 0
    [ "$(page hostile.html 'j.title')" = '</script><script>alert(1)</script> <!-- ü' ]
    [ "$(grep -c 'alert(1)</script>' hostile.html)" = 0 ]
}

@test "events, redundancy and a long run are in the page" {
    printf '%s\n' "coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint a: x = 0
constraint twice: 2*x = 0
start y = 1
when y < 0: y' = -y'
simulate t = 0..2" >ball.zw
    zwang run ball.zw --every 0.00005 --report ball.html -o rows.csv
    [ "$status" -eq 0 ]
    says "R0835"
    [ "$(page ball.html 'j.thinned.from')" = "$(($(wc -l <rows.csv) - 1))" ]
    [ "$(page ball.html 'j.thinned.to === j.data.rows && j.data.rows <= 20001 && f("t")[j.data.rows - 1]')" = 2 ]
    [ "$(page ball.html 'j.events.map((e) => e.name).join()')" = "when y < 0,when y < 0" ]
    [ "$(page ball.html 'j.constraints.map((c) => c.redundant).join()')" = "true,true" ]
}

@test "view: a model, a result, a result with its model" {
    printf "%s\n" "$pendulum" >pendulum.zw
    "$ZWANG" run pendulum.zw -q -o run.npz
    zwang view pendulum.zw --no-open -o one.html -q
    has_status 0
    [ "$output" = one.html ]
    zwang view run.npz --no-open -o two.html
    [ "$status" -eq 0 ]
    says "R0834"
    [ "$(page two.html 'j.data.columns.map((c) => c.kind).join()')" = "time,coordinate,coordinate,coordinate,coordinate,velocity,velocity,velocity,velocity" ]
    "$ZWANG" run pendulum.zw -q --columns draw -o draw.npz
    zwang view draw.npz --no-open -o points.html
    says "R0834" "plots and points only"
    [ "$(page points.html 'j.scene.shapes.length + " " + j.data.columns[j.scene.shapes[4].p[1].c].name')" = "5 draw[5,1,2]" ]
    zwang view run.npz --model pendulum.zw --no-open -o three.html -q
    has_status 0
    for name in x1 "y2'" "force_ideal(x2)" energy; do
        [ "$(page one.html "f(\"$name\")[300]")" = "$(page three.html "f(\"$name\")[300]")" ]
    done
    [ "$(page three.html 'JSON.stringify(j.scene)')" = "$(page one.html 'JSON.stringify(j.scene)')" ]
}

@test "view opens the page by BROWSER" {
    printf "%s\n" "$pendulum" >pendulum.zw
    printf '#!/bin/sh\necho "$2 $1" >opened\n' >browse
    chmod +x browse
    BROWSER="./nowhere:./browse %s new" zwang view pendulum.zw -o page.html -q
    has_status 0
    [ "$(cat opened)" = "new page.html" ]
    run --separate-stderr env BROWSER=./nowhere PATH=/nowhere "$ZWANG" view pendulum.zw -o page.html
    [ "$status" -eq 0 ]
    says "W0836"
}

@test "the equations as MathML are well-formed" {
    for name in rolling_disc bead_incline andrews; do
        "$ZWANG" derive "$BATS_TEST_DIRNAME/../../models/$name.zw" --mathml >"$name.html"
        node -e '
const text = require("fs").readFileSync(process.argv[1], "utf8"), open = [];
for (const [, end, tag, alone] of text.matchAll(/<(\/?)([a-z0-9]+)[^>]*?(\/?)>/g)) {
    if (alone) continue;
    if (!end) open.push(tag); else if (open.pop() !== tag) throw new Error(tag);
}
if (open.length || !text.includes("<math")) throw new Error("open");
for (const [, inner] of text.matchAll(/<mfrac>(.*?)<\/mfrac>/g)) if (!inner.startsWith("<")) throw new Error(inner);' "$name.html"
    done
}
