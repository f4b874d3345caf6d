"""Word lists for comparing statements: which words carry no subject, which negate, which name the same thing.

The rules that use them are in the other modules of this package. The lists are English, with function words of German,
French, Spanish, Italian, Portuguese and Dutch: a rule is often one line in the language of the team.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> dict[str, list[list[str]]]:
    """Return the words of each phrase, by the first of them."""
    by_first: dict[str, list[list[str]]] = {}
    for phrase in text.split("|"):
        by_first.setdefault(phrase.split()[0], []).append(phrase.split())
    return by_first


def _by_member(table: str, separator: str | None = None) -> dict[str, str]:
    """Return the group of each member, from "group: member member; group: …"."""
    groups = (group.split(":") for group in table.split(";"))
    return {member.strip(): name.strip() for name, members in groups for member in members.split(separator)}


# Function words: they build a sentence, and are not what it is about.
FUNCTION_WORDS = _words(
    "a an the this that these those it its it's they them their there here he she him her his who whom whose which"
    " what i me my mine you your yours we us our ours everybody everyone anybody anyone people someone somebody"
    " anything something everything one's and or but so also too as at by for from in into of off on onto out over per"
    " than to up upon via with within without about around between among under behind beside through throughout across"
    " toward towards against is are was were be been being am do does did done has have had having will would shall"
    " should can could may might must ought let lets let's if when whenever while where wherever because since until"
    " till unless whether though although always every each all any both either some such very just only exclusively"
    " solely really still even ever again absolutely please simply quite rather more most less least much many few lot"
    " lots bit how why then now today already yet soon currently plus mehr meer più mais"
    " der die das den dem des ein eine einen einem einer eines und oder aber auch nur immer alle alles jede jeder"
    " jedes ist sind war waren wird werden wurde wurden sein hat haben im auf aus bei mit nach von vom vor zu zum zur"
    " fur für uber über unter durch als wie wenn wir ich du sie er es man uns unser unsere unseren unserem euer ihr"
    " ihre mein meine dein deine dort hier da noch schon jetzt"
    " le la les l un une de d et ou aussi est sont sera etait était au aux en dans sur sous par pour avec chez ce cet"
    " cette ces il elle ils elles nous vous je j' tu mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs"
    " que qui quand si tout tous toute toutes toujours"
    " el los las lo una unos unas y o pero esta está estan están ser estar del al con por para como cuando se su sus"
    " mi mis tus nuestro nuestra nuestros nuestras todo toda todos todas siempre"
    " gli uno e ed anche è e' sono nel nella nei come quando suo sua loro nostro nostra sempre"
    " os um uma mas é são no na nas dos com nosso nossa"
    " het een maar ook zijn wordt worden op bij met naar van voor om ik altijd onze ons"
)
# Light words: verbs of using, keeping and being somewhere. Two wordings of one rule may differ in them ("listens on",
# "runs on", "port is").
LIGHT_WORDS = _words(
    "use used uses using usage utilise utilize run runs ran running go goes went going gone come comes came get gets"
    " got getting gotten give gives gave given put puts take takes took taken taking make makes made making do keep"
    " keeps kept keeping need needs needed want wants wanted like likes love prefer prefers preferred set sets setting"
    " have hold holds held live lives lived lie lies sit sits stand stands stay stays listen listens serve serves"
    " served talk talks expire expires last lasts happen happens occur work works working write writes wrote written"
    " writing rewritten store stores stored storing save saves saved saving place placed locate located host hosts"
    " hosted hosting base based build builds built building send sends sent sending ship ships shipped shipping call"
    " calls called name names named doing handle handles handled allow allows allowed permit permitted fine ok okay"
    " welcome help helps helpful remember note ensure sure decide decided agree agreed choose chose chosen pick picked"
    " opt follow bother feel free start starts started begin begins finish finished ended end ends belong belongs"
    " contain contains include includes support supports supported require requires required mandatory necessary"
    " compulsory obligatory recommended encouraged acceptable connect connects connected wired wire speak speaks apply"
    " applies applied perform performed execute executed provide provides add adds added adding leave leaves set-up"
    " setup configure configured manage managed land lands try tries look looks see read reads expect expects turn"
    " turns turned shut throw throws threw thrown pull pulled phase phased cut kick kicked rid past clear enable"
    " enabled activate activated contract switches e.g i.e etc eg ie such-as example longer anymore"
    " schreiben geschrieben schreibt schreibe nutzen nutzt nutze benutzen verwenden verwendet verwende laufen lauft"
    " läuft liegt liegen kommt kommen steht stehen machen macht mache gibt geben bauen gebaut deployen deployt bitte"
    " soll sollen muss mussen müssen darf durfen dürfen"
    " utiliser utilisons utilisez lancer lance lancez ecrire écrire ecrit écrit écrits mettre met faire fait preferer"
    " préférer prefere préfère doit doivent faut tourne tournent"
    " usar usa usamos usan usad va van vamos guardar guarda guardan escribir escribe escriben escritos hacer hace"
    " hacen prefiero preferimos debe deben hay corre corren levantamos levantar desplegar despliega"
    " usare usiamo usano scrivere scritto scritti gira girano deve devono"
    " usam escrever escrito fica ficam devem roda"
    " gebruik gebruiken gebruikt schrijf schrijven geschreven draait draaien staat moet moeten"
)
# Vague nouns: as light as these verbs, unless the other statement has a noun of its own instead.
VAGUE_NOUNS = _words(
    "version versions file files thing things line lines text value values number numbers amount item items way ways"
    " kind type-of sort plain new current currently size length level rate count limit max maximum min minimum cap"
    " upper lower oldest newest earliest latest highest lowest least most default standard main primary official usual"
    " normal project repo repository repositories codebase workspace everyone member work stuff part parts whole"
    " entire month months week weeks year years ago recently yesterday tomorrow spring summer autumn fall winter rev"
    " revision people person guys folks favour favor place instead mode option style tool framework library system"
    " rule rules policy policies requirement practice convention guideline step reads writes morning mornings"
    " afternoon afternoons evening evenings noon lunch midnight nowhere elsewhere"
)
AUXILIARIES = _words(
    "is are was were be been do does did has have had will would shall should can could may might must am get gets got"
)

# Negations: the clause says that something is not so, or must not be done.
NEGATIONS = _words(
    "no not never none nobody nothing neither nor cannot can't cant won't wont don't dont doesn't doesnt didn't didnt"
    " isn't isnt aren't arent wasn't wasnt weren't werent shouldn't shouldnt mustn't mustnt needn't neednt haven't"
    " hasn't hasnt wouldn't couldn't ain't nicht nie niemals kein keine keinen keinem keiner keines ne n' jamais aucun"
    " aucune nunca jamás jamas ningún ningun ninguna tampoco non mai nessun nessuna não nao nenhum nenhuma niet geen"
    " nooit"
)
# Verbs that ask for the opposite of what they govern.
NEGATIVE_VERBS = _words(
    "avoid avoids avoiding stop stops stopping skip skips skipping drop drops dropping omit omits omitting exclude"
    " excludes excluding forbid forbids ban bans prohibit disallow refuse refrain quit cease disable disables deny"
    " remove removes removing delete deletes deleting kill kills killing ditch abandon deprecate retire scrap"
    " eliminate discontinue reject unsupported unneeded unnecessary unwanted off-limits taboo prohibited disallowed"
    " banned denied vermeide vermeiden verboten eviter éviter evite évite évitez évitons interdit interdite evitar"
    " evita evitad prohibido evitare vietato proibido vermijd verboden"
)
# Words of change: something was so once and is no longer so.
NO_LONGER_WORDS = _words(
    "stopped skipped dropped omitted removed deleted killed ditched abandoned deprecated retired scrapped axed nuked"
    " eliminated discontinued obsolete gone history dead cancelled canceled abolished decommissioned sunset sunsetted"
    " superseded outlawed ripped lifted waived revoked rejected retiring abandoning binned shelved dumped obsoleted"
    " formerly previously outgrown goodbye bye farewell adieu entfernt entfallen abgeschafft weggefallen abgelöst"
    " supprimé supprimée abandonné eliminado eliminada"
)
_NO_LONGER = (
    "no longer|no more|not any more|any more|any longer|anymore|left out|left the company|left the team|left us|is out"
    "|are out|thing of the past|given up|ran out|run out|fell out of|signed off from|got rid of|getting rid of"
    "|gave up on|given up on|gave up|did away with|done with|went away|goes away|gone away|used to|moved off|moving off"
    "|off the table|out of use|backed out of|opted out of|moved away from|migrated off|migrated away from"
    "|nicht mehr|ya no|já não|ja nao|ne plus|non più|niet meer"
)
NO_LONGER_PHRASES = _phrases(_NO_LONGER)
# Phrases that negate.
DENIAL_PHRASES = _phrases(
    "forget about|steer clear of|keep away from|stay away from|hold off on|free of|do away with|get rid of|"
    + _NO_LONGER
)
# "Switched Mongo off": the verb and, later, the particle.
PHRASAL_VERBS = _words(
    "switch switches switched turn turns turned shut shuts rip throw throws threw thrown phase phased kick kicked cut"
    " leave leaves leaving left keep"
)
PARTICLES = _words("off out down away")
# Phrases between what is chosen and what is not.
CONTRAST_PHRASES = _phrases(
    "instead of|rather than|in place of|in lieu of|as opposed to|over|but not|and not|without|anstatt|anstelle von"
    "|statt|au lieu de|plutôt que|plutot que|en lugar de|en vez de|invece di|em vez de|in plaats van|ohne|sans|sin"
    "|senza|sem|zonder"
)
# These only add something: "without" does not choose.
WITHOUT_WORDS = _words("without ohne sans sin senza sem zonder")
# "over" contrasts after these verbs; elsewhere it is a place or a carrier ("over SPI").
CHOICE_VERBS = _words("prefer prefers preferred preferring choose chose chosen pick picked favour favor take")
# "from A to B" with one of these is a change: A no longer holds. Without one it is a direction.
CHANGED_WORDS = _words(
    "switched moved migrated changed converted ported transitioned upgraded downgraded bumped renamed raised lowered"
    " increased decreased reduced swapped went flipped shifted rewrote rewritten replaced gewechselt umgestellt"
    " umgezogen migriert ersetzt passé passés migré remplacé cambiado cambiamos migrado migramos pasamos mudamos"
    " reemplazado passati passammo overgestapt"
)
CHANGE_VERBS = CHANGED_WORDS | _words(
    "switch switching move moving migrate migrating change changing convert port transition upgrade upgrading"
    " downgrade bump rename raise lower increase decrease reduce swap flip shift rewrite wechseln"
)
REPLACE_VERBS = _words(
    "replace replaces replaced replacing ersetzt ersetzen remplacé remplace reemplazado reemplaza swap swapped"
)
REPLACE_PREPOSITIONS = _words("by with through durch par por da met mit con for avec")
# "Left A for B".
LEAVE_VERBS = _words("left leave leaving ditched ditch abandoned traded trade swapped swap")
# Something is new.
NOW_WORDS = _words(
    "now nowadays since seit jetzt inzwischen depuis désormais maintenant desde ahora adesso agora nu anymore goodbye"
)
NOW_PHRASES = _phrases("as of|these days|from now on|from today|starting today|going forward")
# Something ended, or somebody or something else took its place. Not words of what happens regularly ("is updated").
ENDED_WORDS = _words(
    "left handed transferred disabled expired terminated suspended resigned departed reassigned relocated reverted"
    " withdrawn ended quit closed dissolved merged unplugged uninstalled outsourced deactivated revised redesigned"
    " reorganized extended shortened doubled halved tripled relaxed tightened loosened postponed rescheduled delayed"
    " took taken overhauled rebranded rehosted gave given stepped phased"
)

DETERMINERS = _words("a an the this that all every each any der die das le la les el los las")
# Words before a value: "in Markdown", "with bcrypt", "as JSON".
LINK_WORDS = _words("in with as by via at to on into called named using over through mit als par avec con come")
# Verbs before a name that is chosen for something: "use Zod for validation".
NAMING_VERBS = _words("use uses using prefer choose pick ask name")
ONLY_WORDS = _words("only exclusively solely nur seulement solo")
ANYONE_WORDS = _words("anyone anybody everyone everybody any all every whoever jeder alle tous todos")
# Words that allow or ask for something: "it's fine to …", "tests should …".
PERMISSION_WORDS = _words(
    "fine ok okay allowed may can permitted welcome should must always acceptable free encouraged required feel needs"
)
# "Keep comments to a minimum" and "comment every function thoroughly".
LITTLE_WORDS = _words(
    "minimum minimal minimally sparse sparsely sparingly few fewer little seldom rarely short brief briefly terse"
    " concise concisely bare scarce occasionally"
)
MUCH_WORDS = _words(
    "thorough thoroughly extensive extensively detailed verbose lots full fully comprehensive exhaustive plenty"
    " generous generously liberally long lengthy elaborate everywhere heavily"
)
# Verbs that link a thing to its value: two statements with verbs of one group answer one question.
LINKING_VERBS = _by_member(
    "place: store stores stored keep keeps kept live lives hold holds held sit sits found save saved saves located"
    " placed belong belongs reside resides persisted archived documented; run: run runs running hosted host hosts"
    " operated; write: written write writes wrote implemented implement coded programmed built; install: install"
    " installs installed add added; send: send sends sent go goes reported report delivered routed posted published;"
    " show: show shows shown displayed rendered printed; own: owns owned owner maintains maintained maintainer"
    " responsible charge leads lead contact; happen: happen happens held scheduled planned meets; queue: queue queued"
    " queues buffered cached"
)
# What follows one of these is what something is for.
PURPOSE_WORDS = _words("for in on at when if with without because für bei wenn pour dans para en")
# Words that leave room for more than one value: "supports JSON" and "supports YAML" can both hold.
ADDITIVE_WORDS = _words(
    "also too another either support supports supported supporting allow allows allowed accept accepts accepted"
    " include includes including add adds available speak speaks try test tests tested check checks e.g example auch"
    " aussi"
)
# Words for something of which there is one: "the default branch is …".
UNIQUE_WORDS = _words(
    "default main primary preferred standard official current only favourite favorite name host url address"
)
# Verbs after a person or team who is responsible.
DUTY_VERBS = _words("owns reviews approves maintains leads signs decides manages")
REASON_WORDS = _words("because weil parce porque perché omdat denn")

BEFORE_WORDS = _words("before bevor vor avant antes prima voordat prior ahead")
AFTER_WORDS = _words("after nach nachdem après apres después despues dopo após depois nadat once afterwards afterward")
THEN_WORDS = _words("then dann danach anschliessend puis ensuite luego entonces poi depois daarna afterwards next")
FIRST_WORDS = _words("first erst zuerst d'abord primero prima primeiro eerst")
# Words of negation and order.
STRUCTURE_WORDS = BEFORE_WORDS | AFTER_WORDS | THEN_WORDS | FIRST_WORDS | NEGATIONS | NEGATIVE_VERBS | NO_LONGER_WORDS
# Small words that reverse a sentence: "is on by default" and "is off by default".
REVERSING_WORDS = (
    ("on", "off"), ("in", "out"), ("up", "down"), ("with", "without"), ("above", "below"), ("over", "under"),
    ("more", "less"), ("most", "least"), ("many", "few"), ("to", "from"), ("all", "some"), ("every", "some"),
    ("always", "sometimes"), ("inside", "outside"),
)  # fmt: skip
# Small words that turn what is said into something else. Two statements of which just one has such a word are not the
# same: an exception, an end in time, a permission, a doubt.
EXCEPTION_WORDS = _words(
    "unless except excepting excluding besides apart but ausser außer sofern sauf salvo excepto eccetto tranne exceto"
    " tenzij behalve"
)
END_WORDS = _words("until till til bis jusqu jusqu'à hasta fino até tot")
PERMITTING_WORDS = _words(
    "may can could allowed permitted optional optionally free welcome fine ok okay acceptable darf dürfen kann können"
    " peut peuvent puede pueden può possono pode podem mag kan"
)
DOUBTING_WORDS = _words(
    "might maybe perhaps possibly probably likely seem seems apparently vielleicht vermutlich peut-être probablement"
    " quizá quizás probablemente forse talvez misschien"
)
NAMED_WORDS = _words("called named genannt heißt heisst appelé appelée llamado llamada chiamato chamado heet")
# Whose habit or wish it is.
PERSONS = _by_member(
    "I: i me my mine ich mich mir mein meine je j' moi mon yo mi io ik; we: we us our ours wir uns unser unsere nous"
    " notre nos nosotros nuestro noi nostro wij ons onze; you: you your yours du dich dir dein deine tu toi vous votre;"
    " he: he him his; she: she her hers; they: they them their theirs"
)
# Words that hold a sentence together: with another one it says something else.
ORDER_WORDS = BEFORE_WORDS | AFTER_WORDS | THEN_WORDS | FIRST_WORDS
FRAME_WORDS = (
    ORDER_WORDS
    | ONLY_WORDS
    | ANYONE_WORDS
    | _words(
        "as at by for from in into of off on onto out over per to up via with within without under above below between"
        " through against until since more less twice both auf aus bei durch für mit nach von vor zu"
    )
)

# Environments limit a statement: a rule for one of them says nothing about another.
ENVIRONMENTS = _words(
    "production producción produccion produktion produzione produção productie staging stage preprod sandbox"
    " development dev local locally lokal localhost laptop ci pipeline nightly debug release beta canary preview demo"
    " test testing tests qa windows linux macos mac ubuntu debian alpine ios android web desktop mobile simulator"
    " emulator docker container offline online weekday weekdays weekend weekends hotfix hotfixes emergency interactive"
    " batch"
)
CONDITION_WORDS = _words(
    "if when whenever while once unless until during except wenn falls während sobald ausser solange si quand lorsque"
    " pendant cuando mientras durante salvo excepto se quando mentre als wanneer tijdens"
)
# A sentence that begins with one of these names a case first: "On Windows …", "For hotfixes …".
OPENING_PREPOSITIONS = _words(
    "on in at for under during bei auf im am für unter en sur dans pour chez para su per em op voor"
)
# Words of German alone, which capitalizes every noun.
GERMAN_WORDS = _words(
    "der das und ist nicht wird werden wir mit auf für kein keine läuft immer nach vom zum unsere unser im einen"
)
# The ends of a range are two questions.
LOWER_BOUND_WORDS = _words("min minimum oldest earliest lowest least smallest shortest over above")
UPPER_BOUND_WORDS = _words(
    "max maximum newest latest highest most largest biggest longest cap capped limit under below"
)

# Other spellings of the same word.
ALIASES = _by_member(
    "database: db dbs databases datenbank; production: prod prd producción produccion produktion live-system; staging:"
    " stage stg; development: dev; configuration: config configs conf cfg settings setting; repository: repo repos;"
    " documentation: docs doc doku docu dokumentation; javascript: js ecmascript; typescript: ts; python: py;"
    " postgresql: postgres pg psql; mongodb: mongo; kubernetes: k8s; objective-c: objc obj-c objectivec; go: golang;"
    " neovim: nvim; ripgrep: rg; environment: env envs; directory: dir dirs folder folders; pullrequest: pr prs mr mrs;"
    " authentication: auth; application: app apps; specification: spec specs; dependency: dep deps dependencies;"
    " package: pkg pkgs; administrator: admin; parameter: param params; argument: arg args; function: func fn funcs"
    " functions; message: msg msgs; branch: branches; commit: commits; annotation: hint hints annotations; timestamp:"
    " timestamps; readthedocs: rtd; githubactions: gha; elasticsearch: es; signoff: sign-off signoffs; test: tests"
    " testing; frontend: front-end ui; backend: back-end; email: e-mail mail mails; telephone: phone; approval:"
    " approvals approve approved approves; review: reviews reviewer reviewers reviewed; deploy: deploys deployment"
    " deployments deployed deploying; lint: linter linting linters; format: formatter formatting formatters formatted;"
    " image: images img; latitude: lat; longitude: lon lng; color: colour colours colors; semicolon: semicolons"
    " semi-colon; short: brief briefly concise terse shortly; long: verbose detailed lengthy; manually: manual;"
    " automatically: automatic; sequential: sequentially serially serial; uppercase: upper-case capitals; lowercase:"
    " lower-case; asynchronous: async asynchronously; synchronous: synchronously; tabs: tab; spaces: space"
)
# Words for nearly the same thing. They make two statements worth a comparison and a question, but never the same.
SYNONYMS = _by_member(
    "deploy: ship ships shipped shipping release releases released releasing rollout rollouts; package: dependency"
    " library libraries lib libs; secret: secrets credential credentials; customer: customers client clients; mock:"
    " mocks mocked stub stubs stubbed fake fakes; failure: failures exception exceptions; mobile: telephone smartphone;"
    " answer: answers reply replies response responses; ticket: tickets issue issues; job: jobs task tasks; developer:"
    " developers engineer engineers; commit: checkin; talk: mention mentions discuss tell; picture: image screenshot;"
    " method: function methods; delete: erase wipe purge; fetch: download downloads; machine: machines server servers"
    " host; login: signin logon logins; rollback: revert reverts; meeting: meetings call sync; standup: daily; comment:"
    " comments remark remarks; vacation: holiday holidays; laptop: notebook; price: cost costs prices"
)
SYNONYMS |= {name: name for name in SYNONYMS.values()}
# Names of several words, which become one word.
MULTIWORD_NAMES = _by_member(
    "readthedocs: read the docs; githubactions: github actions; gitlabci: gitlab ci; githubpages: github pages;"
    " appstore: app store; pullrequest: pull request, pull requests, merge request, merge requests; single-quotes:"
    " single quotes, single quote; double-quotes: double quotes, double quote; snake_case: snake case; timeout: time"
    " out, times out; rollback: roll back, rolls back, rolled back; login: log in; backup: back up; lowercase: lower"
    " case; uppercase: upper case; titlecase: title case; camelcase: camel case; pascalcase: pascal case; kebab-case:"
    " kebab case; vscode: visual studio code, vs code; objective-c: objective c; circleci: circle ci; merge-commit:"
    " merge commit, merge commits; squash: squash merge; docker-compose: docker compose; local-time: local time;"
    " oncall: on call; signoff: sign off",
    ",",
)
# One uses one member of a family for a given purpose, so another member is another answer.
FAMILIES = {
    member: family
    for family, members in {
        "package manager": "npm pnpm yarn bun",
        "python installer": "pip uv poetry pipenv conda pdm",
        "bundler": "webpack vite rollup parcel esbuild turbopack rspack",
        "indentation": "tabs spaces",
        "quotes": "single-quotes double-quotes",
        "text search": "grep ripgrep ack",
        "test runner": (
            "pytest unittest jest vitest mocha jasmine ava rspec minitest junit testng playwright cypress selenium"
        ),
        "linter": "flake8 pylint ruff eslint biome jshint standardjs tslint oxlint rubocop",
        "formatter": "black prettier yapf autopep8 gofmt clang-format dprint",
        "type checker": "mypy pyright pyre",
        "editor": "vim neovim emacs nano helix vscode sublime zed intellij",
        "database": "postgresql mysql mariadb sqlite mongodb oracle cockroachdb dynamodb cassandra",
        "cache": "redis memcached valkey",
        "message broker": "kafka rabbitmq nats sqs pulsar activemq",
        "search engine": "elasticsearch opensearch solr meilisearch typesense",
        "container engine": "docker podman containerd",
        "orchestrator": "kubernetes nomad swarm docker-compose",
        "infrastructure code": "terraform pulumi cloudformation opentofu ansible chef puppet",
        "cloud": "aws gcp azure hetzner digitalocean heroku",
        "ci": "jenkins githubactions gitlabci circleci travis buildkite drone teamcity",
        "branch": "main master trunk develop",
        "integration": "rebase merge squash merge-commit fast-forward",
        "theme": "dark light",
        "identifier case": "camelcase snake_case kebab-case pascalcase screaming_snake_case",
        "css": "tailwind bootstrap bulma",
        "ui framework": "react vue svelte angular preact",
        "state": "redux zustand mobx pinia recoil",
        "web framework": "django flask fastapi rails fastify nestjs laravel",
        "build tool": "make just cmake meson bazel gradle maven ninja scons",
        "shell": "bash zsh fish powershell nushell ksh",
        "data format": "json yaml toml xml csv tsv parquet avro protobuf logfmt msgpack ini",
        "markup": "markdown asciidoc rst restructuredtext latex html",
        "programming language": (
            "python ruby go rust java kotlin swift objective-c c c++ scala typescript javascript php perl elixir"
            " haskell zig"
        ),
        "language": (
            "english german french spanish italian portuguese dutch japanese chinese russian polish englisch deutsch"
            " französisch anglais français allemand inglés español alemán inglese italiano tedesco"
        ),
        "weekday": (
            "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag"
            " samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles miercoles"
            " jueves viernes sábado sabado domingo"
        ),
        "http method": "get post put patch",
        "protocol": "http https grpc graphql soap websocket mqtt amqp",
        "bus": "spi i2c uart usb rs485",
        "temperature": "celsius fahrenheit kelvin",
        "length": "metres meters feet inches centimetres centimeters",
        "time zone": "utc gmt cet cest pst local-time",
        "encoding": "utf-8 utf-16 latin-1 ascii iso-8859-1",
        "case": "uppercase lowercase titlecase",
        "sign-in": "oauth saml ldap jwt",
        "manner": "manually automatically",
        "execution": "sequential parallel",
        "reference": "relative absolute",
        "evaluation": "eager lazy",
        "mutability": "mutable immutable",
        "number": "singular plural",
        "repositories": "monorepo polyrepo",
        "versioning": "semver calver",
        "length of text": "short long",
        "spelling": "british american",
        "direction": "ascending descending",
        "strictness": "strict lenient",
        "timing": "synchronous asynchronous",
        "visibility": "public private",
        "log level": "debug info warning error",
    }.items()
    for member in members.split()
}
# Families of which a project has one member, whatever it is for.
SINGLE_CHOICES = frozenset(("package manager", "python installer", "indentation", "quotes", "editor", "theme"))
# Members that are everyday words too. They count after a word that introduces the name of a tool or language.
AMBIGUOUS_MEMBERS = _words("make just go c get post put patch main swift error")
NAMING_WORDS = _words("is are be use uses using with by via in to prefer prefers on than over of from")
# Opposites: "is enabled" and "is disabled" are one statement and its negation.
NEGATED_STATES = {
    "disabled": "enabled", "optional": "required", "forbidden": "allowed", "unsigned": "signed",
    "untyped": "typed", "unformatted": "formatted", "untested": "tested", "unencrypted": "encrypted",
    "uncompressed": "compressed", "invisible": "visible", "inactive": "active", "unlimited": "limited",
    "closed": "open", "unavailable": "available", "unpinned": "pinned", "discouraged": "encouraged",
    "unacceptable": "acceptable", "unsorted": "sorted",
}  # fmt: skip
# Names that stand for other spellings.
RESPELLED_NAMES = frozenset((*ALIASES.values(), *NEGATED_STATES.values(), *MULTIWORD_NAMES.values()))

# Units with their size, to compare 60 s with one minute and 1 GB with 1000 MB.
UNITS = {
    name: (kind, size)
    for kind, sizes in {
        "time": {
            "ns ns. nanosecond nanoseconds": 1e-9,
            "us μs microsecond microseconds": 1e-6,
            "ms msec msecs millisecond milliseconds millisekunden": 1e-3,
            "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos": 1.0,
            "min mins minute minutes minuten minuto minutos": 60.0,
            "h hr hrs hour hours stunde stunden heure heures hora horas": 3600.0,
            "d day days tag tage tagen jour jours día dia días dias": 86400.0,
            "w week weeks woche wochen semaine semaines semana semanas": 604800.0,
            "month months monat monate mois mes meses": 2592000.0,
            "y year years jahr jahre an ans año años": 31536000.0,
        },
        "size": {
            "b byte bytes": 1.0,
            "kb kib k kilobyte kilobytes": 1e3,
            "mb mib m megabyte megabytes": 1e6,
            "gb gib g gigabyte gigabytes": 1e9,
            "tb tib t terabyte terabytes": 1e12,
        },
        "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
        "distance": {"mm": 1e-3, "cm": 1e-2, "meter metre meters metres": 1.0, "km": 1e3, "inch inches": 0.0254},
        "voltage": {"mv": 1e-3, "v volt volts": 1.0},
        "current": {"ma": 1e-3, "amp amps ampere": 1.0},
        "weight": {"mg": 1e-3, "gram grams": 1.0, "kg": 1e3},
        "share": {"% percent pct": 1.0},
        "picture": {"px pixel pixels pt rem em": 1.0},
        "pace": {"fps": 1.0, "rps": 1.0, "qps": 1.0, "rpm": 1.0, "bps": 1.0, "kbps": 1e3, "mbps": 1e6, "dpi": 1.0},
    }.items()
    for names, size in sizes.items()
    for name in names.split()
}
FREQUENCIES = {"hourly": "1h", "daily": "1d", "weekly": "1w", "monthly": "1month", "yearly": "1y"}
# A number after one of these labels a thing ("step 3"): another number is another thing, not another value.
LABEL_WORDS = _words(
    "step item rule note fact number memory task thing case phase part chapter section page ticket issue job test"
    " example entry word claim statement candidate thread worker writer round story event question answer sentence"
    " line row column milestone sprint stage iteration epic module lesson exercise scenario day night file topic habit"
    " secret agent process"
)
NUMBER_WORDS = _by_member(
    "1: one single once ein eine eins un une uno una; 2: two twice zwei deux dos due dois twee; 3: three drei trois"
    " tres tre drie; 4: four vier quatre cuatro quattro quatro; 5: five fünf funf cinq cinco cinque vijf; 6: six sechs"
    " seis sei zes; 7: seven sieben sept siete sette; 8: eight acht huit ocho otto oito; 9: nine neun neuf nueve nove"
    " negen; 10: ten zehn dix diez dieci dez tien; 12: twelve dozen zwölf douze doce; 15: fifteen; 20: twenty; 24:"
    " twenty-four; 30: thirty; 40: forty; 50: fifty; 60: sixty; 80: eighty; 90: ninety; 100: hundred hundert cent cien;"
    " 1000: thousand"
)
# Articles of other languages that are number words too. They count as articles.
ARTICLES = _words("ein eine einen einem einer un une uno una")

# Fillers: with or without them it is the same rule.
FILLER_WORDS = _words(
    "use uses used using prefer prefers need needs want wants like remember note ensure sure make please project repo"
    " repository codebase follow decided agreed longer anymore work"
)
# Verbs and nouns without a subject of their own.
ALL_LIGHT_WORDS = LIGHT_WORDS | CHANGE_VERBS | REPLACE_VERBS | VAGUE_NOUNS
# Words in capitals that are no names.
COMMON_ACRONYMS = _words("ci pr prs mr mrs api apis db ui ux id ids url urls uri ok todo readme os cli sdk qa")
# What follows the letters that derived words share, as `word_stem` leaves it: "rotat" and "rotat-ion". Any other ending
# makes another word: "heron-eu" and "heron-us", "password" and "passwordless".
ENDINGS = _words(
    "a ag ain al aliti anation anc ant ar ari at ation ativ ator abl b bl c cal cation ci ct d den e ed ement en enc"
    " ent er es est fi i ial ibl ic ier ifi iliti ion ional is ism ist it iti ition iv ive iviti iz in l ll liz ment n"
    " nation nes on onal or ori ption r ration ri s sal sation ship siv sion sor ss ssion st t ten th ti tial tion tiv"
    " tur u ual ung ur v viti w z zation zer ze"
) | {""}
