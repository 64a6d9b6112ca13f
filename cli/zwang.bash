# Completion of the zwang command for bash.
_zwang() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    # bash makes a word of "=": --form=ga is the three words --form = ga
    if [[ $word == '=' ]]; then
        word=''
    elif [[ $before == '=' ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local words='' model='--set --output --messages --quiet --help'
    case $before in
    --form) words='gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection' ;;
    --messages) words='text json' ;;
    --inconsistent) words='accept' ;;
    --method) words='dop853 dopri5 rk4 bdf auto' ;;
    --kernel) words='bytecode native auto' ;;
    --solver) words='dense sparse auto' ;;
    --lanes) words='1 4 8' ;;
    --stabilize) words='project baumgarte none' ;;
    --set | --time | --state | --until | --every | --at | --columns | --tol | --abs-tol | --step | \
        --baumgarte | --max-steps | --max-time) return ;;
    -o | --output | --stats)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    *)
        if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
            words='run check derive eval solve explain help --help --version'
        elif [[ $word == -* ]]; then
            case ${COMP_WORDS[1]} in
            run)
                words="--until --every --at --columns --tol --abs-tol --method --step --stabilize
                    --baumgarte --form --kernel --solver --inconsistent --max-steps --max-time --stats
                    $model"
                ;;
            check) words="--json --inconsistent --solver $model" ;;
            derive) words="--latex --json --asm --kernel --lanes $model" ;;
            eval) words="--time --state --form --basis --inconsistent --solver $model" ;;
            explain) words='--messages --help' ;;
            *) words='--output --form --messages --quiet --help' ;;
            esac
        elif [[ ${COMP_WORDS[1]} == explain ]]; then
            words=$("${COMP_WORDS[0]}" explain 2>/dev/null | cut -d ' ' -f 1)
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _zwang zwang
