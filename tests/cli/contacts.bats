# Contacts in the command: columns, --events, --stats, eval, and outputs that must not collide.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >ball.zw <<'END'
coord x, y
kinetic   (x'^2 + y'^2)/2
potential 9.81*y
constraint ground: y >= 0
restitution ground: 0.5
friction ground: 0.3 along x'
start y = 1, x' = 3
output rub = friction(ground)
when y > 0.1 and y' > 0: x' = x'
simulate t = 0..2, every = 0.5
END
    cat >belt.zw <<'END'
coord x, y
kinetic   (x'^2 + y'^2)/2
potential 9.81*y + 5*x^2
constraint belt: y >= 0
friction belt: 0.2 along x' - 0.3, static = 0.4
start x' = 0.3
simulate t = 0..4, every = 1
END
}

# column FILE NAME: the numbers of a column without quotes, one a line
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i } NR > 1 { print $at }' "$1"
}

@test "columns of contacts" {
    zwang run ball.zw -q --at 0,0.5,2 --columns "gap(ground), normal(ground), contact(ground), impulse(ground)"
    has_status 0
    [ "${lines[0]}" = "t,gap(ground),normal(ground),contact(ground),impulse(ground)" ]
    [ "${lines[1]}" = "0,1,0,0,0" ]
    [[ ${lines[2]} == 0.5,0.095835*,0,0,6.64417* ]]
    [[ ${lines[3]} == 2,0,9.81,2,0.0* ]]
    zwang run belt.zw -q --at 1 --columns "slip(belt), friction(belt), contact(belt)"
    has_status 0
    [[ ${lines[1]} =~ ^1,-?[0-9.e-]+,(3|3.0000000|2.9999999)[0-9]*,2$ ]]
}

@test "what is not there is named, with what is near" {
    zwang run ball.zw --columns "gap(grund)"
    has_status 2
    says "error[E0721]: there is no inequality 'grund'; did you mean 'gap(ground)'?"
    zwang run ball.zw --columns "friction(ground, 2)"
    has_status 2
    says "error[E0722]: 'friction(ground, 2)' is not there: there is 1 friction on 'ground'"
}

@test "without --columns there is nothing of contacts; all has each number once" {
    zwang run ball.zw -q
    has_status 0
    [ "${lines[0]}" = "t,x,y,x',y',rub" ]
    zwang run ball.zw -q --at 0 --columns all
    [[ ${lines[0]} == *",gap(ground),normal(ground),slip(ground),friction(ground),contact(ground),impulse(ground),"* ]]
    [[ ${lines[0]} != *multiplier* ]]
}

@test "--events: everything that happens, in order, events of the model among it" {
    zwang run ball.zw -q -o rows.csv --events events.csv
    has_status 0
    [ "$(head -n 1 events.csv)" = "t,name,kind,impulse,energy" ]
    [ "$(column events.csv kind | sort | uniq -c | sort -n | awk '{print $2}' | xargs)" = "closes sticks when impact" ]
    grep -q '^0\.[0-9]*,when y > 0.1 and y. > 0,when,0,0$' events.csv
    column events.csv t | sort -c -g
    # energy lost: all that there was at the start
    node -e '
        const rows = require("fs").readFileSync("events.csv", "utf8").trim().split("\n").slice(1).map((x) => x.split(","));
        const sum = rows.reduce((s, x) => s + Number(x[x.length - 1]), 0);
        if (Math.abs(sum - (9.81 + 4.5)) > 1e-6) throw new Error(sum);'
}

@test "--events has all of very many, whatever the rows" {
    cat >many.zw <<'END'
coord y
kinetic y'^2/2
potential 9.81*y
constraint ground: y >= 0
restitution ground: 1
start y = 1e-3
simulate t = 0..60
END
    zwang run many.zw -q --at 60 -o rows.csv --events events.csv --stats stats.json
    has_status 0
    [ "$(grep -c impact events.csv)" -eq 2101 ]
    output=$(cat stats.json)
    holds "a.contacts[0].impacts === 2101" "a.contacts[0].name === 'ground'" "a.contacts[0].last === null"
}

@test "--events goes to standard output if the rows go elsewhere, and never to their place" {
    zwang run belt.zw -q -o rows.csv --events -
    has_status 0
    [ "${lines[0]}" = "t,name,kind,impulse,energy" ]
    [[ ${lines[1]} == 1.308*,belt,slips,0,0 ]]
    zwang run belt.zw --events -
    has_status 2
    says "error[E0805]: --events and the rows cannot go to the same place"
    zwang run belt.zw -o a.csv --events b.csv --stats b.csv
    has_status 2
    says "error[E0805]: --events and --stats cannot go to the same place"
    zwang run belt.zw -q -o a.csv --events ./a.csv
    has_status 1
    says "the rows and the events"
    zwang run belt.zw -q -o a.csv --events belt.zw
    has_status 1
    says "error[E0821]"
    zwang run belt.zw -q -o a.csv --events /nowhere/events.csv
    has_said 1
    says "/nowhere/events.csv: error[E0813]"
}

@test "a run that stops early has the events up to there" {
    zwang run ball.zw -q -o rows.csv --events events.csv --max-steps 3
    has_said 3
    [ "$(head -n 1 events.csv)" = "t,name,kind,impulse,energy" ]
    [ "$(wc -l <events.csv)" -lt 15 ]
}

@test "a model without contacts has its events there" {
    printf "coord x\nkinetic x'^2/2\nstart x' = 1\nwhen x > 0.5: x' = -x'\nwhen x < 0: stop\nsimulate t = 0..5\n" >plain.zw
    zwang run plain.zw -q -o rows.csv --events -
    has_status 0
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[1]} == *"when x > 0.5,when,0,0" && ${lines[2]} == *"when x < 0,when,0,0" ]]
    printf "coord x\nkinetic x'^2/2\nsimulate t = 0..1\n" >still.zw
    zwang run still.zw -q -o rows.csv --events -
    has_status 0
    [ "$output" = "t,name,kind,impulse,energy" ]
}

@test "--stats: what each contact does, and how often what happened" {
    zwang run ball.zw -q -o rows.csv --stats -
    has_status 0
    holds "a.contacts.length === 1" "a.contacts[0].state === 'sticks'" "a.contacts[0].impacts > 5" \
        "a.contacts[0].closings === 1" "a.contacts[0].openings === 0" "a.contacts[0].sticks === 1" \
        "a.contacts[0].slips === 0" "Math.abs(a.contacts[0].last - 1.35457) < 1e-3"
    zwang run belt.zw -q -o rows.csv --stats -
    holds "a.contacts[0].last === 0" "a.contacts[0].closings === 0" "a.contacts[0].slips >= 1"
    printf "coord x\nkinetic x'^2/2\nsimulate t = 0..1\n" >still.zw
    zwang run still.zw -q -o rows.csv --stats -
    holds "a.contacts.length === 0"
}

@test "eval has the mode of the state: open, sliding, sticking" {
    zwang eval ball.zw -q
    has_status 0
    holds "a.contacts[0].state === 'open'" "a.constraints[0].value === 1" "a.multipliers[0] === 0"
    zwang eval ball.zw -q --state "y = 0"
    has_status 0
    holds "a.contacts[0].state === 'touches'" "Math.abs(a.acceleration[0] + 2.943) < 1e-12" \
        "Math.abs(a.multipliers[1] + 2.943) < 1e-12" "Math.abs(a.C[0] + 2.943) < 1e-12" \
        "a.constraints[1].name === 'friction(ground)'" "a.constraints[1].value === 3"
    zwang eval ball.zw -q --state "y = 0" --basis --form gauss
    has_status 0
    holds "Math.abs(a.multipliers[1] + 2.943) < 1e-12" "a.virtual_displacements.length === 1"
    zwang eval ball.zw -q --state "y = 0" --form moore-penrose
    has_status 0
    holds "Math.abs(a.acceleration[0] + 2.943) < 1e-12"
    zwang eval ball.zw -q --state "y = 0, x' = 0"
    has_status 0
    holds "a.contacts[0].state === 'sticks'" "a.acceleration[0] === 0" "a.acceleration[1] === 0"
}

@test "the page of a run marks what happened" {
    zwang run ball.zw -q -o rows.csv --report page.html
    has_status 0
    grep -q '"name":"ground collides"' page.html
    grep -q '"name":"ground sticks"' page.html
}
