"""Single programs: what is no habit, what takes words that look like commands but are not, other names."""

from __future__ import annotations

# Looking around, moving about, the shell itself: neither habits nor steps of one.
TRIVIAL = frozenset(
    # where am I, what is here
    "ls ll la l lsd exa eza dir vdir tree pwd cd pushd popd dirs z zi j autojump cd.. .. ... .... "
    # look at a thing
    "cat bat less more most head tail echo printf print which type whereis whatis man help info tldr apropos "
    "whoami id who w date cal uname hostname uptime "
    # the shell and its terminal
    "clear cls reset tacit history fc exit logout quit q :q jobs fg bg disown wait sleep true false : test [ [[ let "
    "bye export set unset setenv declare typeset local readonly alias unalias function abbr hash rehash bind bindkey "
    "shopt setopt unsetopt umask ulimit read shift trap return break continue eval env printenv command yes stty "
    "getopts builtin emulate zle compinit autoload mark commandline contains string status begin end stop suspend su "
    "> < >> } "
    # the head of a block of another shell that nothing could be read from
    "if for while until case switch select foreach repeat".split()
)

# What comes after the name is never a command word of the program, whatever it looks like.
ARGUMENTS = frozenset(
    "cp mv rm mkdir rmdir touch ln chmod chown chgrp install find fd locate grep rg ag ack sed awk gawk cut sort uniq "
    "wc tr tee diff comm paste join split xxd od hexdump strings file stat du df dd sync truncate mktemp readlink "
    "realpath basename dirname seq expr bc jq yq tar zip unzip gzip gunzip bzip2 xz zstd 7z rsync scp sftp ftp telnet "
    "nc ncat netcat socat curl wget http https xh ping traceroute mtr dig nslookup host whois nmap tcpdump tshark "
    "wireshark netstat ss lsof ps top htop btop kill killall pkill pgrep renice mount umount lsblk fdisk parted mkfs "
    "useradd userdel usermod passwd groupadd groups chsh crontab at vi vim nvim view nano emacs emacsclient code "
    "cursor subl zed idea pycharm hx helix micro kak ed open xdg-open start explorer pbcopy pbpaste xclip xsel wl-copy "
    "python ruby node gcc g++ cc clang clang++ rustc javac java ghc tsc eslint prettier jest mocha pytest tox mypy "
    "black isort flake8 pylint pyright shellcheck shfmt gofmt goimports rustfmt clang-format hyperfine strace ltrace "
    "gdb lldb valgrind perf make cmake ctest ld nm objdump readelf ldd convert magick ffmpeg ffprobe mpv vlc feh "
    "mysql mysqldump sqlite3 psql pg_dump pg_restore createdb dropdb mongo mongosh redis-cli gpg ssh-keygen "
    "ssh-copy-id ssh-add base64 md5sum sha1sum sha256sum cksum fzf cowsay figlet lolcat ranger nnn mc lf yazi "
    "hashcat john hydra gobuster nikto sqlmap dirb msfconsole msfvenom wpscan fcrackzip enum4linux "
    "uvicorn gunicorn nodemon bundle-audit screen dpkg rpm modprobe dmesg journalctl last free say "
    "delta tig lazygit lazydocker k9s ncdu".split()
)

# A name followed by one of these is a program with commands, also where nobody has written it down yet.
VERBS = frozenset(
    "add apply attach audit auth backup bench build bump bundle check checkout clean clear clone commit compile config "
    "connect console copy create debug delete deploy describe destroy dev diff disable doc docs doctor down download "
    "edit enable exec export fetch fix fmt format generate get help import info init inspect install kill launch lint "
    "list log login logout logs ls merge migrate mv new open pack package plan preview promote ps publish pull push "
    "query rebuild release reload remove reset restart restore resume rm rollback run scan search seed send serve "
    "server set setup shell show ssh start stats status stop submit switch sync tag tail test trace tunnel uninstall "
    "unlink up update upgrade upload use validate verify version view wait watch whoami why".split()
)

# The same program under another name.
RENAMED = {
    "nodejs": "node",
    "py": "python",
    "py.test": "pytest",
    "pytest-3": "pytest",
    "egrep": "grep",
    "fgrep": "grep",
    "zgrep": "grep",
    "batcat": "bat",
    "fdfind": "fd",
    "docker-compose": "docker compose",
    "pnpx": "pnpm dlx",
    "yarnpkg": "yarn",
    "gmake": "make",
    "gradlew": "./gradlew",
    "mvnw": "./mvnw",
    "inv": "invoke",
    "go-task": "task",
    "flyctl": "fly",
    ".": "source",
    "gsed": "sed",
    "gawk": "awk",
    "artisan": "php artisan",
    "manage.py": "python manage.py",
}

# The word behind the name is the habit: a person calls it "ssh to build-1".
PLACES = {
    "ssh": frozenset("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w".split()),
    "mosh": frozenset(("-p", "--ssh", "--port")),
    "autossh": frozenset("-M -L -R -D -i -o -p".split()),
}

# Their first option is the command: `pacman -Syu`.
FLAGGED = frozenset("pacman yay paru dpkg rpm".split())

# With one of these options they are something else than without: `tail -f` waits, `cmake --build` builds.
TELLING = {
    "tail": {"-f": "-f", "-F": "-f", "--follow": "-f"},
    "cmake": {"--build": "--build", "--install": "--install"},
    "crontab": {"-e": "-e", "-l": "-l"},
    "nginx": {"-t": "-t", "-s": "-s"},
    "screen": {"-r": "-r", "-x": "-r"},
}
