// Texts that a terminal would obey, in every place where a text of the user can stand, through every
// command: nothing of what comes out may have a control character, or bytes that are no UTF-8.
//
//     node hostile.js ZWANG FOLDER COUNT
//
// COUNT texts at random, always the same ones. JSON must stay JSON, with the text as it was.
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const [zwang, folder, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
process.chdir(folder);

let seed = 12345;
const any = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
const of = (list) => list[any(list.length)];

const pieces = ["\x1b[31m", "\x1b]0;owned\x07", "\x1b[2J\x1b[H", "\x07", "\x08\x08\x08", "\x7f", "\u009b31m", "\u0085", "\u202e", "\u2066",
    "\u200f", "\u2028", "\ufff9", "\x1bP+q\x1b\\", "\x0e", "\x0c", "\x0b", "\x01", "\x1bc", "\u061c"];
const raw = [Buffer.from([0x9b, 0x33, 0x31, 0x6d]), Buffer.from([0xff]), Buffer.from([0xc2]), Buffer.from([0xe2, 0x80])];
const plain = ["a", "rope", " ", "θ", "%", "{", "\\", "$x$", "<b>", "é", "#", "&", "^", "~", "_"];
const hostile = () => Array.from({ length: 1 + any(4) }, () => of(any(2) ? pieces : plain)).join("") + of(pieces);

const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/;
let looked = 0, bad = 0;
const look = (what, bytes, words) => {
    looked++;
    let text;
    try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
        text = "\0";
    }
    const found = text.match(control);
    if (!found) return text;
    bad++;
    console.log(`${what} of zwang ${JSON.stringify(words)}: ${JSON.stringify(bytes.toString("latin1").slice(0, 2000))}`);
    return text;
};

// run WORDS [INPUT]: looks at all that comes out, and at the file `out` where there is one
const run = (words, input) => {
    fs.rmSync("out", { force: true });
    const done = spawnSync(zwang, words, { input, timeout: 60000 });
    if (done.error || done.signal) throw new Error(`${words}: ${done.error || done.signal}`);
    const out = look("standard output", done.stdout, words);
    const said = look("standard error", done.stderr, words);
    if (fs.existsSync("out")) look("the file", fs.readFileSync("out"), words);
    return { out, said, status: done.status };
};

const motion = "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x = y\nstart x = 1, y = 1\n";
const commands = [["check"], ["check", "--json"], ["derive"], ["derive", "--latex"], ["derive", "--json"], ["derive", "--asm"], ["eval"],
    ["run", "--until", "1", "--at", "0,1"], ["run", "--until", "1", "--at", "0,1", "--stats", "out"], ["check", "--messages=json"], ["derive", "-o", "out"]];
const models = (t) => [
    `model "${t}"\n${motion}`,
    `${motion}# ${t}\nwhen x < -1 # ${t}\n    : stop\n`,
    `${motion}when x > 0.5 and # ${t}\n    y > 0: x' = -x'\n`,
    `model "${t}"\n${motion}draw point(x, y), label = "${t}", color = "${t}"\n`,
    `${motion}output ${t} = x\n`,
    `${motion}simulate method = "${t}"\n`,
    `${motion}use ${t}\n`,
    `${motion}constraint d: x = nothing${t}\n`,
    `${motion}param p = 1 # ${t}\n`, // with a remark
    `model "${t}"\ncoord x\nkinetic x^2 # ${t}\nconstraint "${t}": x = 1\n`,
];

for (let k = 0; k < count; k++) {
    const text = (k < pieces.length ? `a${pieces[k]}` : hostile()).replace(/["\n\\]/g, "");
    const model = of(models(text));
    const bytes = any(6) ? Buffer.from(model) : Buffer.concat([Buffer.from(model), Buffer.from("# "), of(raw), Buffer.from("\n")]);
    fs.writeFileSync("model.zw", bytes);
    for (const command of commands.filter(() => any(3) === 0)) run([...command, "model.zw"]);
    // JSON is JSON, and the title in it is the title
    fs.writeFileSync("titled.zw", `model "${text}"\n${motion}`);
    for (const command of [["check", "--json"], ["derive", "--json"]]) {
        const title = JSON.parse(run([...command, "titled.zw"]).out).title;
        if (title !== text) throw new Error(`${JSON.stringify(title)} is not ${JSON.stringify(text)}`);
    }
    // files and folders of that name, which is no path; with a module beside the model that is not taken
    const name = text.replace(/[/\0]/g, "").slice(0, 40) || "\x1b";
    fs.rmSync("below", { recursive: true, force: true });
    fs.mkdirSync(path.join("below", `d${name}`), { recursive: true });
    const file = path.join("below", `d${name}`, `f${name}.zw`);
    fs.writeFileSync(file, `use planar\n${motion}`);
    fs.writeFileSync(path.join("below", `d${name}`, "planar.zw"), "");
    run([...of(commands), file]);
    run(["run", "--until", "1", "--at", "0,1", file]);
    run(["check", `${file}.not`]);
    run(["derive", "titled.zw", "-o", `${file}/x`]);
    run(["derive", file, "-o", file]);
    // words of the command line
    const word = text.replace(/\0/g, "");
    run(of([["check", "titled.zw", "--set", `${word}=1`], ["check", "titled.zw", `--${word}`], [word], ["explain", word], ["example", word], ["help", word],
        ["eval", "titled.zw", "--state", `x=${word}`], ["run", "titled.zw", "--columns", `x, ${word}`, "--until", "1"], ["run", "titled.zw", "--until", word],
        ["run", "titled.zw", "--method", word], ["run", "titled.zw", "--at", word], ["check", "titled.zw", "--max-memory", word], ["check", "titled.zw", word],
        ["run", "titled.zw", "--until", "1", "-o", word], ["run", "titled.zw", "--solver", word, "--until", "1"]]));
    // numbers with names
    const problem = { M: [1, 1], Q: [0, 1], A: [[1, 1], [1, 1]], b: [0, any(2)], names: [text, "other"] };
    const { out } = run(["solve"], JSON.stringify(problem));
    if (!JSON.stringify(JSON.parse(out)).includes(JSON.stringify(text).slice(1, -1))) throw new Error(`names: ${out}`);
    run(["solve"], JSON.stringify({ ...problem, [text]: 1 }));
    run(["solve"], JSON.stringify({ ...problem, form: text }));
    run(["solve"], JSON.stringify(problem).replace("[0,1]", `[0,${text}]`));
    run(["solve", "--messages=json"], JSON.stringify({ ...problem, M: text }));
}
console.log(`${looked} texts, ${bad} with control characters`);
process.exit(bad ? 1 : 0);
