// The table of the gallery in models/README.md: a row for each model, with its title and the first
// sentence of its story. `node table.js` compares, `node table.js --write` writes it anew.
'use strict';
const fs = require('fs'), path = require('path');

const folder = path.join(__dirname, '..', '..', 'models'), readme = path.join(folder, 'README.md');

// The comment lines up to the first that is empty or names the source, as one text.
function story(text) {
    const lines = text.split('\n'), end = lines.findIndex((line) => !/^# (?!Source:)\S/.test(line));
    return lines.slice(0, end).map((line) => line.slice(2)).join(' ');
}

function row(file) {
    const text = fs.readFileSync(path.join(folder, file), 'utf8');
    const [, title] = /^model "(.*)"/m.exec(text) || [, '?'];
    const [sentence] = /^.{30,}?\.(?=\s|$)/.exec(story(text)) || [story(text)];
    return `| [${path.basename(file, '.zw')}](${file}) | ${title} | ${sentence.replace(/[|*]/g, '\\$&')} |`;
}

const rows = fs.readdirSync(folder).filter((file) => file.endsWith('.zw')).sort().map(row);
const text = fs.readFileSync(readme, 'utf8');
const wanted = text.replace(/(\| name \|.*\n\| --- \|.*\n)(\|.*\n)*/, (_, head) => `${head}${rows.join('\n')}\n`);
if (process.argv[2] === '--write') fs.writeFileSync(readme, wanted);
else if (wanted !== text || !text.includes(rows[0])) {
    const old = new Set(text.split('\n'));
    console.log(`models/README.md is not up to date: node tests/gallery/table.js --write\n${rows.filter((one) => !old.has(one)).join('\n')}`);
    process.exitCode = 1;
}
