# Completion of the zwang command for bash.
_zwang() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    # bash makes a word of "=": --form=ga is the three words --form = ga
    if [[ $word == '=' ]]; then
        word=''
    elif [[ $before == '=' ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    local words=''
    case $before in
    --form) words='gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection' ;;
    --messages) words='text json' ;;
    -o | --output)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    *)
        if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
            words='solve help --help --version'
        elif [[ $word == -* ]]; then
            words='--output --form --messages --quiet --help'
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _zwang zwang
