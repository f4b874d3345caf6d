"""Passwords among the options and arguments of well-known command-line tools.

Options whose name says it (`--password`, `-storepass`, `--token`) are found by `names`, whatever the tool. This table has
those that only the tool explains.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tacit.secrets.probes import Probe, SecretSpan
from tacit.secrets.spec import PAIR, VALUE
from tacit.secrets.values import is_placeholder, is_random, may_be_secret
from tacit.text.display import regex

# The tools (words between commas, of which one must be earlier in the same command), the options between blanks, the form
# of the value, an example that must match, and one that must not. Options are case-sensitive.
CommandRow = tuple[str, str, str, str, str]
COMMAND_KIND = "password in a command"

APART = "apart"  # -p VALUE or -p=VALUE
GLUED = "glued"  # -pVALUE
EITHER = "either"  # -pVALUE or -p VALUE
COLON = "colon"  # /p:VALUE
PAIRED = "pair"  # -u USER:VALUE
PERCENT = "percent"  # -U USER%VALUE
COMMA = "comma"  # -u USER,VALUE
NAMED = "named"  # --from-literal=NAME=VALUE
RANDOM = "random"  # -t VALUE, which must look random because the option has other uses

_LOGINS = (
    "docker login,podman login,registry login,az login,oc login,cf login,skopeo login,nerdctl login,buildah login,"
    "crane auth login,oras login,ctr ,cosign login,argocd login,ibmcloud login,rancher login,aliyun,kubelogin,"
    "jf rt,jfrogc,artifactory,twine upload,bw login,bw unlock"
)
_SECRET_STORES = (
    "secret set,secret create,secrets set,secret put,secret add,secrets put,secret update,secrets add,"
    "secrets create,keyvault secret,variable set,llm keys set"
)
# fmt: off
COMMANDS: tuple[CommandRow, ...] = (
    ("mysql,mariadb,mycli,mytop,innobackupex,xtrabackup,percona,pt-", "-p", GLUED, "mysql -u root -phunter2 app",
     "mysql -u root -p app"),
    ("7z ,7za ,7zr ,7zz ,rar ,unrar ", "-p -hp", GLUED, "7z x -phunter2 a.7z", "7z x -p phunter.7z"),
    (_LOGINS, "-p", APART, "docker login -u me -p hunter2 registry.example.org", "docker login -u me --password-stdin"),
    ("sshpass", "-p", EITHER, "sshpass -p hunter2 ssh host", "sshpass -f file ssh -p 22 host"),
    ("mongo,cqlsh,clickhouse,neo4j,cypher-shell,influx,arangosh,couch,cbq,cbbackup,orientdb,taos,dolt,vsql,gsql,beeline,"
     "presto,trino,kinit,crackmapexec,netexec,nxc ,evil-winrm,hydra,medusa,ncrack,patator,rpcclient,rdesktop,"
     "x11vnc,ncftp,radtest,cadaver,svn ,hg ,teamcity,pgloader,exasol,exaplus,snowsql,iris,mosquitto_,tigervnc,"
     "kafkacat,amqp-,rabbitmqadmin,nifi,kcadm,kcreg,asadmin,wsadmin,jboss-cli,weblogic,solr,elasticsearch-,"
     "az sql,az vm,az postgres,az mysql,logstash,kibana,mailx,racadm,sshuttle,autossh,grafana-cli,psexec",
     "-p", APART, "mongosh -u me -p hunter2", "mongosh -u me --password-stdin -p"),
    ("sqlcmd,bcp ,isql,osql,tsql,fisql,zip ,unzip ,funzip,ipmitool,bteq,dbisql,usql,mosquitto_,nzsql,ssh-keygen,p4 ,"
     "snmpv3,racadm,smbmap,pscp,rsync ", "-P", EITHER, "unzip -P hunter2 a.zip", "mkdir -p zip out"),
    ("redis-cli,valkey-cli,keydb-cli,dragonfly,redis-benchmark,redis-dump,iredis", "-a", APART,
     "redis-cli -h cache -a hunter2 ping", "redis-cli -a"),
    ("http ,https ,xh ,xhs ,grpcurl", "-a --auth", PAIRED, "http -a me:hunter2 example.org", "http -a me example.org"),
    ("ldap,slappasswd,dsconf,dsmod,net ads", "-w", EITHER, "ldapsearch -x -w hunter2 -b dc=x",
     "ldapsearch -x -W -b dc=x"),
    ("security add-,security unlock,security set-,security create-,security import", "-w -p -P", APART,
     "security add-generic-password -a me -s app -w hunter2", "security find-generic-password -w"),
    ("curl", "-u --user -U --proxy-user --ftp-account", PAIRED, "curl -s -u someone:hunter2 https://example.org",
     "curl -u $USER:$PASS https://example.org"),
    ("curl,wget,http ,https ,xh ", "--pass --key-pass --oauth2-bearer --proxy-pass", APART,
     "curl --cert c.pem --pass hunter2 https://example.org", "curl --pass $PASS https://example.org"),
    ("jenkins,influx,ab ,wrk,hey ,siege,artillery,lftp,davfs,rclone,restic,scp,couchdb,minio,aria2c,ffmpeg,"
     "es_,elastic,nuget,mvn ,newman,dredd,sendmail,swaks", "-auth --auth -A --login --userpwd --creds", PAIRED,
     "java -jar jenkins-cli.jar -auth me:hunter2 version", "jenkins-cli.jar -auth @file version"),
    ("smbclient,rpcclient,smbget,smbcacls,smbtree,net rpc,net ads,winexe,wmic,smbmap,mount.cifs,nmblookup,samba-tool,"
     "enum4linux,smbspool", "-U --user", PERCENT, "smbclient //nas/x -U me%hunter2 -c ls", "smbclient //nas/x -U me"),
    ("lftp,ncftp,cadaver,lftpget", "-u --user", COMMA, "lftp -u me,hunter2 ftp.example.org", "lftp -u me ftp.example.org"),
    ("xfreerdp,wfreerdp,freerdp,mstsc,sdl-freerdp", "/p: /gp: -p: /password:", COLON, "xfreerdp /v:host /u:me /p:hunter2",
     "xfreerdp /v:host /u:me /from-stdin"),
    ("cmdkey,schtasks,net use,wmic,msbuild,signtool,winscp,psexec,sc.exe,wevtutil,typeperf,dsadd,netdom,djoin",
     "/pass: /p: /rp: /password: /pd: /ud:", COLON, "cmdkey /add:host /user:me /pass:hunter2", "cmdkey /list /p"),
    ("schtasks,signtool,typeperf,logman", "/rp /p /password", APART,
     "signtool sign /f cert.pfx /p hunter2 app.exe", "signtool sign /p $env:PW app.exe"),
    ("plink,pscp,psftp,putty,pterm,dsadd,dsmod", "-pw -pwd", APART, "plink -ssh me@host -pw hunter2 ls",
     "plink -ssh me@host -pwfile pw.txt"),
    ("openssl,ccrypt,aespipe,scrypt ", "-k -K", APART, "openssl enc -aes-256-cbc -k hunter2 -in a",
     "openssl enc -aes-256-cbc -kfile pw -in a"),
    ("ssh-keygen,puttygen", "-N --new-passphrase", APART, "ssh-keygen -t ed25519 -N hunter2 -f id",
     "ssh-keygen -t ed25519 -N '' -f id"),
    ("snmpwalk,snmpget,snmpgetnext,snmpbulkwalk,snmpbulkget,snmpset,snmptrap,snmptable,snmpstatus,snmpdf", "-A -X -c", APART, "snmpwalk -v3 -u me -l authPriv -A hunter2hunter2 -X hunter3hunter3 host",
     "snmpwalk -v2c host -c"),
    ("pdftotext,pdfinfo,pdftoppm,pdfimages,pdftocairo,pdfunite,qpdf,pdftops,pdftohtml", "-upw -opw", APART,
     "pdftotext -upw hunter2 a.pdf", "pdftotext -upw"),
    ("pdftk", "input_pw owner_pw user_pw", APART, "pdftk a.pdf input_pw hunter2 output b.pdf", "pdftk a.pdf input_pw"),
    ("swaks,sendemail,mutt,msmtp,mailsend", "-ap -xp -pass --auth-password", APART, "sendemail -xu me -xp hunter2 -t you",
     "sendemail -xu me -t you"),
    ("kubectl,oc ,create secret,helm", "--from-literal", NAMED, "kubectl create secret generic x --from-literal=a=hunter2",
     "kubectl create secret generic x --from-file=a=b"),
    (_SECRET_STORES, "--body -b", EITHER,
     "gh secret set NAME --body hunter2", "gh secret set NAME --body-file f"),
    (_SECRET_STORES + ",put-parameter,put-secret,vercel env", "--value -v --string-value --secret-value",
     APART, "az keyvault secret set --vault-name v --name n --value hunter2", "llm keys path --value"),
    ("secretsmanager,create-secret,put-secret,update-secret", "--secret-string --secret-binary --SecretString", APART,
     "aws secretsmanager create-secret --name x --secret-string hunter2",
     "aws secretsmanager create-secret --secret-string file://x"),
    ("glab auth,gh auth,codecov,doctl,vercel,netlify,railway,snyk,sentry-cli,ngrok,consul,nomad,vault,argocd,pulumi,"
     "firebase,hcloud,linode-cli,stripe,gitlab-runner,buildkite-agent,coveralls,"
     "flyctl,tailscale,cloudflared,k3s,rke2,kubeadm,docker swarm,wandb,huggingface-cli,config.sh,act_runner,"
     "influx,terraformer,datadog-ci,honeymarker,newrelic,gcloud,ibmcloud,logcli,mimirtool,semgrep,trivy,snowsql,"
     "qovery,cloudsmith,jfrog,nexus-cli",
     "-t -r -k --auth --pat -token", RANDOM, "glab auth login -t <a24>", "glab auth login -t staging"),
    ("useradd,usermod,adduser,chpasswd,samba-tool,pwsh,powershell", "-p --password", APART,
     "useradd -m -p hunter2hash me", "useradd -m me -p"),
    ("git credential,ansible,ansible-playbook,s3cmd,swift ,openstack,mc ,kcadm.sh", "-K --secret-key --os-password",
     APART, "swift -A https://example.org/auth -U me -K hunter2 list", "swift list -K"),
)
# fmt: on


# Secrets that are plain arguments: a keyword, the command up to them as an expression, how many other arguments are
# between (-1: the value follows without a blank), an example that must match, and one that must not.
# fmt: off
ARGUMENTS: tuple[tuple[str, str, int, str, str], ...] = (
    ("htpasswd", r"htpasswd(?:\s{1,4}-[A-Za-z0-9]{1,9}){0,3}\s{1,4}-(?!\w{0,8}n)(?=\w{0,8}b)[A-Za-z]{1,9}", 2,
     "htpasswd -bc /etc/nginx/.htpasswd me hunter2", "htpasswd -c /etc/nginx/.htpasswd me"),
    ("htpasswd", r"htpasswd(?:\s{1,4}-[A-Za-z0-9]{1,9}){0,3}\s{1,4}-(?=\w{0,8}n)(?=\w{0,8}b)[A-Za-z]{1,9}", 1,
     "htpasswd -nbB me hunter2", "htpasswd -nB me"),
    ("mosquitto_passwd", r"mosquitto_passwd(?:\s{1,4}-c)?\s{1,4}-b", 2, "mosquitto_passwd -b pw me hunter2",
     "mosquitto_passwd -c pw me"),
    ("rabbitmqctl", r"rabbitmqctl\s{1,4}(?:add_user|change_password|authenticate_user)", 1,
     "rabbitmqctl add_user me hunter2", "rabbitmqctl add_user me"),
    ("encrypt_string", "encrypt_string", 0, "ansible-vault encrypt_string hunter2x --name x",
     "ansible-vault encrypt_string --help"),
    ("wpa_passphrase", "wpa_passphrase", 1, "wpa_passphrase homenet hunter2hunter2", "wpa_passphrase homenet"),
    ("net", r"net\s{1,2}user", 1, "net user me hunter2 /add", "net user me /add"),
    ("net", r"net\s{1,2}use\s{1,4}\S{1,4}\s{1,4}\\{1,4}\S{1,80}", 0, r"net use Z: \\srv\share hunter2 /user:me",
     r"net use Z: \\srv\share /user:me"),
    ("vault", r"vault\s{1,2}kv\s{1,2}(?:put|patch)(?:\s{1,4}-\S{1,40}){0,3}\s{1,4}\S{1,100}\s{1,4}[\w-]{1,40}=", -1,
     "vault kv put secret/api value=hunter2", "vault kv get secret/api"),
    ("/user:", r"/user:\S{1,60}", 0, "net use Z: nas /user:me hunter2", "net use Z: nas /user:me"),
    ("login", r"(?<=cargo )login|(?<=vault )login|(?<=wandb )login|(?<=fly )login", 0, "cargo login <a36>",
     "cargo login --registry x"),
    ("unseal", "unseal", 0, "vault operator unseal <b43>", "vault operator unseal -migrate"),
    ("authtoken", "authtoken", 0, "ngrok config add-authtoken <a27>_<a21>", "ngrok authtoken --help"),
    ("auth", r"(?<=snyk )auth", 0, "snyk auth <uuid>", "snyk auth --help"),
    ("cloudflared", r"cloudflared\s{1,2}service\s{1,2}install", 0, "cloudflared service install <a60>",
     "cloudflared service install --help"),
    ("auth", r"(?<=redis-cli )auth", 0, "redis-cli auth hunter2", "redis-cli auth"),
    ("auth", r"(?<=redis-cli )auth", 1, "redis-cli auth me hunter2", "redis-cli auth"),
    ("requirepass", "requirepass|masterauth", 0, "config set requirepass hunter2", "config get requirepass"),
    ("mc", r"(?<![\w.-])mc\s{1,2}alias\s{1,4}set", 3, "mc alias set x https://example.org me hunter2hunter2",
     "mc alias set x https://example.org"),
    ("mc", r"(?<![\w.-])mc\s{1,2}config\s{1,2}host\s{1,4}add", 3,
     "mc config host add x https://example.org me hunter2hunter2", "mc config host add x"),
    ("login", r"(?<=\bbw )login", 1, "bw login me@example.org hunter2", "bw login me@example.org"),
    ("unlock", r"(?<=\bbw )unlock", 0, "bw unlock hunter2", "bw unlock --raw"),
    ("oathtool", r"oathtool(?:\s{1,4}-{1,2}[\w=-]{1,20}){1,5}", 0, "oathtool --totp -b <b32>", "oathtool --totp --help"),
    ("obscure", r"(?<=rclone )obscure", 0, "rclone obscure hunter2", "rclone obscure -"),
    ("http-basic.", r"http-basic\.[\w.-]{1,80}", 1, "composer config http-basic.example me hunter2",
     "composer config http-basic.example"),
    ("radtest", "radtest", 1, "radtest me hunter2 localhost 0 testing123", "radtest -h"),
    ("sqlplus", r"sqlplus(?:\s{1,4}-\w{1,10}){0,3}\s{1,4}[\"']?[\w$.]{1,40}/(?=[^\s/@]{3})", -1,
     "sqlplus scott/hunter2@db", "sqlplus / as sysdba"),
    ("impdp", r"impdp\s{1,4}[\"']?[\w$.]{1,40}/(?=[^\s/@]{3})", -1, "impdp scott/hunter2@db", "impdp help=y"),
    ("expdp", r"expdp\s{1,4}[\"']?[\w$.]{1,40}/(?=[^\s/@]{3})", -1, "expdp scott/hunter2@db", "expdp help=y"),
    ("sqlldr", r"sqlldr\s{1,4}(?:userid=)?[\"']?[\w$.]{1,40}/(?=[^\s/@]{3})", -1, "sqlldr scott/hunter2@db",
     "sqlldr help=y"),
    ("rman", r"(?<!\w)rman\s{1,4}target\s{1,4}[\"']?[\w$.]{1,40}/(?=[^\s/@]{3})", -1, "rman target sys/hunter2@db",
     "rman target /"),
    ("db2", r"db2\s{1,2}connect\s{1,2}to\s{1,2}\S{1,60}\s{1,2}user\s{1,2}\S{1,60}\s{1,2}using", 0,
     "db2 connect to app user me using hunter2", "db2 connect to app using ssh2"),
    ("password", r"(?<=\s)password(?=\s)", 0, "nmcli device wifi connect homenet password hunter2",
     "nmcli connection show --ask password"),
    ("psk", r"(?<=[.-])psk", 0, "nmcli con modify x wifi-sec.psk hunter2hunter2", "nmcli con modify x wifi-sec.psk"),
    ("identity:", r"identity:\s{1,4}[^\s:]{1,64}", 0, "identity: me hunter2hunter2", "identity: me"),
    ("impacket", r"impacket-\w{1,30}(?:\s{1,4}-\S{1,60}){0,6}\s{1,4}[\w.-]{1,60}/[\w.-]{1,60}:", -1,
     "impacket-psexec corp/me:hunter2@10.0.0.4", "impacket-psexec -h"),
    ("secretsdump.py", r"secretsdump\.py\s{1,4}[\w.-]{1,60}/[\w.-]{1,60}:", -1,
     "secretsdump.py corp/me:hunter2@10.0.0.4", "secretsdump.py -h"),
)
# fmt: on
# Commands that take a password from a pipe or a here-string.
_PASSWORD_READERS = (
    r"(?:sudo\s{1,4}(?:-\w{1,4}\s{1,4}){0,3})?(?:(?:npx|bunx|pnpm\s(?:exec|dlx)|yarn(?:\sdlx)?|uvx|pipx\srun)\s{1,4})?(?:"
    r"(?:docker|podman|nerdctl|skopeo|helm\s{1,4}registry|oras|crane\s{1,4}auth|gh\s{1,4}auth|glab\s{1,4}auth|vault|cosign|"
    r"buildah|huggingface-cli|npm|az)\s{1,4}login\b|"
    r"passwd\s{1,4}--stdin|passwd\b(?!\s*[|&])|chpasswd\b|smbpasswd\b|cryptsetup\b|kinit\b|vncpasswd\b|"
    r"gpg\b[^|\n]{0,80}--passphrase-fd|openssl\b[^|\n]{0,80}stdin|pass\s{1,4}insert|secret-tool\s{1,4}store|"
    r"gh\s{1,4}secret\s{1,4}set|wrangler\s{1,4}secret\s{1,4}put|fly\s{1,4}secrets|keyring\s{1,4}set|"
    r"docker\s{1,4}secret\s{1,4}create|gcloud\s{1,4}secrets|podman\s{1,4}secret\s{1,4}create|su\b|ssh-add\b|"
    r"systemd-creds\b|kubeseal\b|ansible-vault\b|sops\b|mysql_config_editor\b|borg\b|restic\b|rclone\b|htpasswd\s{1,4}-\w{0,6}i|"
    r"vercel\s{1,4}env\s{1,4}add|heroku\b|nmcli\b|wpa_passphrase\b|age\b|zfs\s{1,4}load-key|bcdedit|veracrypt\b|"
    r"security\b|op\s{1,4}item|bw\s{1,4}(?:unlock|login)|ldapadd\b|realm\s{1,4}join|adcli\b|net\s{1,4}ads)"
)
_PRINT_VALUE = r"(?:echo|printf)\s{1,4}(?:-\w{1,3}\s{1,4}){0,2}(?:[\"']?%s(?:\\n|\n)?[\"']?\s{1,4})?"
_PIPE = r"\s{0,4}\|\s{0,4}(?:(?:xxd|base64|tr|head|cat)\b[^|\n]{0,30}\|\s{0,4}){0,2}"
# Into a file that is named after a secret.
_INTO_SECRET_FILE = (
    r"\s{0,4}>{1,2}\s{0,4}[\"']?(?:[^\s\"'|;&]{0,80}[/._-])?(?:\w{0,20}[_-])?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|apikey|api[_-]key|cred(?:ential)?s?|psk)"
    r"(?!\S{0,30}\.(?:md|py|[jt]s|html?|log|json|ya?ml|sh|csv)\b)(?:[._-]\w{1,16}){0,2}[\"']?(?=\s|;|&|\||\Z)"
)
# The keyword, the expression, an example that must match, and one that must not.
# fmt: off
PIPES: tuple[tuple[str, str, str, str], ...] = (
    ("echo",
     _PRINT_VALUE + "{V}" + _PIPE + r"(?:sudo\s{1,4}(?:-\w{1,6}\s{1,4}){0,3}-S\b|sudo\s{1,4}-\w{0,4}S\b|" + _PASSWORD_READERS + ")",
     "echo hunter2 | sudo -S apt update", "echo done | sudo tee file"),
    ("printf", _PRINT_VALUE + "{V}" + _PIPE + _PASSWORD_READERS, "printf 'hunter2' | docker login -u me --password-stdin reg",
     "printf 'done' | tee file"),
    ("echo", _PRINT_VALUE + "{V}" + _INTO_SECRET_FILE, "echo 'hunter2 hunter' > ~/.vault_pass", "echo 'hunter2 hunter' > ~/.bypass-list.md"),
    ("printf", _PRINT_VALUE + "{V}" + _INTO_SECRET_FILE, "printf hunter2 > db_password.txt", "printf hunter2 > notes.txt"),
    ("<<<", r"(?<=[\w\s-])<<<\s{0,4}{V}", "kinit me <<< hunter2", "kinit me <<< $PASS"),
)
# fmt: on

_ARGUMENT = r"""(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"'|;&<>-][^\s"'|;&<>]{0,200})"""
_MAX_COMMAND_CHARS = 300
_TOOL_PREFIX_CHARS = 2  # characters of a word by which tools are looked up
_MAX_OPTION_DISTANCE = 300  # characters after a tool in which its options are read
_COMMAND_END = r"[\n;|]|&&"
_COLON_VALUE = r"(?:\"(?P<q>[^\"\n]{1,200})\"|'(?P<s>[^'\n]{1,200})'|(?P<v>[^\s\"'`|&<>]{1,200}))"
_SEPARATOR_BY_FORM = {PERCENT: "%", COMMA: ","}
_STDIN_PASSWORD_COMMANDS = (
    "docker login,podman login,kinit,chpasswd,passwd,gh auth,glab auth,cryptsetup,gh secret,wrangler secret,pass insert,"
    "base64 -d,base64 --decode,sudo -s,gcloud secrets,vercel env,keyring set,fly secrets,secret put,secret create,"
    "secrets put,secrets create,stdinpass,passw,vault login,su ,smbpasswd,secret-tool,docker secret,openssl,gpg"
).split(",")


# Options that ordinary commands use all the time: their rows are tried at the name of the tool instead.
_COMMON_OPTIONS = frozenset("-A -X -a -b -c -k -n -N -r -s -t -v -x /p /rp --login --value --auth --body".split())


def is_tried_at_option(row: CommandRow) -> bool:
    """Return whether a row is tried at its options; other rows are tried at the names of their tools."""
    _, options, form, _, _ = row
    if form in (PAIRED, PERCENT, COMMA, GLUED, COLON):
        return True
    return _COMMON_OPTIONS.isdisjoint(options.split()) or options == "-a"


@cache
def option_table() -> dict[str, list[tuple[str, tuple[str, ...], str]]]:
    """Return, for each option in lower case: its spelling, the tools that have it, and the form of its value."""
    table: dict[str, list[tuple[str, tuple[str, ...], str]]] = {}
    for tools_of_row, spellings, form, _, _ in filter(is_tried_at_option, COMMANDS):
        for spelling in spellings.split():
            table.setdefault(spelling.lower(), []).append((spelling, tuple(tools_of_row.split(",")), form))
    return table


@cache
def tool_table() -> dict[str, list[CommandRow]]:
    """Return the rows that are tried at each tool, by the longest word of its name."""
    table: dict[str, list[CommandRow]] = {}
    for row in COMMANDS:
        if not is_tried_at_option(row):
            for word in dict.fromkeys(map(_longest_word, row[0].split(","))):
                table.setdefault(word, []).append(row)
    return table


def _longest_word(tool: str) -> str:
    return max(tool.split(), key=len)


def tool_probe(keyword: str) -> Probe:
    """Return the probe of a tool: its options, up to the end of the command."""
    rows = []
    for tools_of_row, spellings, form, _, _ in tool_table()[keyword]:
        tools = [re.escape(name.strip()) for name in tools_of_row.split(",") if _longest_word(name) == keyword]
        is_tool = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(tools)})(?![\w])")
        options = "|".join(map(re.escape, sorted(spellings.split(), key=len, reverse=True)))
        rows.append((is_tool, re.compile(rf"(?<=\s)(?:{options}){_value_pattern(form)}"), form))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        end = at + len(keyword)
        farthest = end + _MAX_OPTION_DISTANCE
        if text.find(" -", end, farthest) < 0 and text.find(" /", end, farthest) < 0:
            return
        command_end = regex(_COMMAND_END).search(text, end, farthest)
        until = command_end.start() if command_end else min(len(text), farthest)
        for is_tool, pattern, form in rows:
            if not is_tool.search(text, max(0, at - 16), end + 16):
                continue
            for match in pattern.finditer(text, end, until):
                if match.lastgroup and _is_option_value(match[match.lastgroup], form):
                    yield *match.span(match.lastgroup), COMMAND_KIND
        yield at, until, ""

    return probe


def option_probe(keyword: str) -> Probe:
    """Return the probe of an option."""
    spellings = tuple({spelling for spelling, _, _ in option_table()[keyword]})
    # By the first characters of a tool's last word, so that a command is looked up word by word.
    rows: dict[str, list[tuple[str, str, str, re.Pattern[str]]]] = {}
    for spelling, names, form in option_table()[keyword]:
        pattern = re.compile(_value_pattern(form))
        for name in names:
            rows.setdefault(name.split()[-1][:_TOOL_PREFIX_CHARS], []).append((name, spelling, form, pattern))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        if not at or not text[at - 1].isspace() or not text.startswith(spellings, at):
            return
        before = command_before(text, at)
        words = regex(r"[\s\"'/=]+").split(before)
        for word in {word[:_TOOL_PREFIX_CHARS] for word in words}:
            for name, spelling, form, pattern in rows.get(word, ()):
                if name not in before or not text.startswith(spelling, at):
                    continue
                match = pattern.match(text, at + len(spelling))
                if match and match.lastgroup and _is_option_value(match[match.lastgroup], form):
                    yield *match.span(match.lastgroup), COMMAND_KIND
                    return

    return probe


def command_before(text: str, at: int) -> str:
    """Return the part of the command before an offset, in lower case."""
    before = text[max(0, at - _MAX_COMMAND_CHARS) : at].lower()
    if "curl" in before:  # its commands go over many lines, and the backslashes that join them are gone by now
        return before
    return before[max(map(before.rfind, ("\n", ";", "|", "&&"))) + 1 :].removeprefix("&")


@cache
def _value_pattern(form: str) -> str:
    if form == GLUED:
        return VALUE
    if form == EITHER:
        return rf"(?:=|\s{{0,4}}){VALUE}"
    if form == COLON:
        return _COLON_VALUE
    if form == PAIRED:
        return rf"(?:=|\s{{0,5}}){PAIR}"
    if form in _SEPARATOR_BY_FORM:
        sign = _SEPARATOR_BY_FORM[form]
        return (
            rf"(?:=|\s{{0,4}})(?:\"[^\"\n{sign}]{{1,100}}{sign}(?P<q>[^\"\n]{{1,200}})\"|"
            rf"'[^'\n{sign}]{{1,100}}{sign}(?P<s>[^'\n]{{1,200}})'|"
            rf"[^\s\"'{sign}]{{1,100}}{sign}[\"']?(?P<v>[^\s\"'`|&<>]{{1,200}}))"
        )
    if form == NAMED:
        return rf"(?:=|\s{{1,4}})[\"']?[\w.-]{{1,100}}={VALUE}"
    return rf"(?:=|\s{{1,4}}){VALUE}"


def _is_option_value(value: str, form: str) -> bool:
    short_number = value.isdigit() and len(value) <= (3 if form in (COLON, NAMED) else 5)
    if len(value) < 3 or short_number or is_placeholder(value) or value.startswith(("-", "@", "file:", "env:", "op:")):
        return False
    if form == RANDOM:
        return is_random(value, 12)
    return form == PAIRED or may_be_secret(value)


def argument_probe(row: tuple[str, str, int, str, str], _: str) -> Probe:
    """Return the probe of a secret that is a plain argument."""
    _, command, between, _, _ = row
    glued = between < 0
    value = r"(?P<v>[^\s@\"'`|&;<>]{3,200})" if glued else rf"(?:\s{{1,4}}{_ARGUMENT}){{{between}}}\s{{1,4}}{VALUE}"
    pattern = re.compile(rf"(?:{command}){value}")
    rejects_words = row[0] in ("login", "auth", "password", "psk", "unlock") and between == 0

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if match is None or match.lastgroup is None:
            return
        value = match[match.lastgroup]
        if len(value) < 3 or not may_be_secret(value) or value.startswith(("-", "/", "|", ">", "@")):
            return
        if rejects_words and value.isalpha():
            return
        if row[0] == "password" and "nmcli" not in command_before(text, at):
            return
        if row[0] == "/user:" and "net use" not in command_before(text, at):
            return
        yield *match.span(match.lastgroup), COMMAND_KIND

    return probe


def pipe_probe(row: tuple[str, str, str, str], _: str) -> Probe:
    """Return the probe of a password that goes through a pipe."""
    pattern = re.compile(row[1].replace("{V}", VALUE))

    def probe(text: str, at: int) -> Iterator[SecretSpan]:
        match = pattern.match(text, at)
        if match is None or match.lastgroup is None:
            return
        start, end = match.span(match.lastgroup)
        if row[0] == "<<<" and not any(command in command_before(text, at) for command in _STDIN_PASSWORD_COMMANDS):
            return
        if "chpasswd" in match[0] or "chpasswd" in text[max(0, at - 40) : at]:
            start += text[start:end].find(":") + 1
        value = text[start:end]
        if may_be_secret(value) and len(value) >= (6 if value.isdigit() else 3):
            yield start, end, COMMAND_KIND

    return probe
