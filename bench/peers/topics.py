"""What is remembered and asked: forty facts that a project can have, each as it is written down and asked for.

Three lines each: the text, a question that shares more words with it, and one that asks the same in other words.
`{s}` is the name of a service, which every question names; the other slots are drawn from the lists below.
"""

from __future__ import annotations

from typing import NamedTuple


class Topic(NamedTuple):
    text: str
    near: str
    far: str


TOPICS = tuple(
    Topic(*block.splitlines())
    for block in """
Never push to the main branch of {s} directly; open a pull request
can I push {s} straight to main
may I commit to {s} without review

Run the {s} tests with {tool} before every commit
which command runs the tests of {s}
how do I check {s} before I commit

{s} listens on port {port} in development
what port does {s} use in development
where do I reach {s} on my laptop

We decided to keep {s} on {db} because migrations are cheaper there
why is {s} on {db}
what did we pick as storage for {s}

Deploy {s} with {tool} from the release branch only
how is {s} deployed
steps to ship {s} to production

If {s} fails with {code}, clear its cache and restart the worker
{s} fails with {code}
{s} crashes at start, what helped last time

{s} needs {var} set, otherwise it starts in read-only mode
which variable does {s} need
why can nobody write in {s}

Use {tool} and not npm to install packages for {s}
package manager of {s}
how do I install dependencies in {s}

The nightly backup of {s} goes to the {bucket} bucket
where is the backup of {s}
how could we restore {s} after a disaster

{who} owns {s} and approves its schema changes
who owns {s}
whom do I ask about the tables of {s}

Logs of {s} are in /var/log/{s}/{word}.log on the {word2} host
where are the logs of {s}
find out what {s} printed yesterday

Timeouts of {s} are {n} seconds; do not raise them
timeout of {s}
{s} takes too long to answer, can I wait longer

{s} uses snake_case for JSON keys and camelCase nowhere
naming of JSON keys in {s}
which style do field names have in {s}

Feature flags of {s} live in config/{word}.yaml
feature flags of {s}
switch something on for some customers of {s}

Do not edit generated files in {s}; change {word}.proto and run {tool}
generated files in {s}
how do I change the messages that {s} sends

The staging database of {s} is reset every {day} night
when is the staging database of {s} reset
my test rows in {s} have vanished

{s} talks to the {s2} service through gRPC, never over REST
how does {s} talk to {s2}
protocol between {s} and its neighbours

Retries in {s} use exponential backoff with at most {n} attempts
how many retry attempts in {s}
what does {s} do when a request is refused

Known fix: {s} image build breaks on arm64 unless {var}=1 is given
{s} image build on arm64
docker cannot build {s} on a Mac

Secrets of {s} come from the {bucket} vault and are never put into .env files
secrets of {s}
where do I put the password of {s}

Format {s} with {tool} and a line length of {n}
line length in {s}
what formatter settings has {s}

We rejected {db} for {s} after the {word} outage
why was {db} rejected for {s}
alternatives that were considered for {s}

The {s} dashboard is called {word}-{word2} in Grafana
dashboard of {s} in Grafana
graphs that show the health of {s}

Alerts of {s} go to the #{word}-oncall channel
alerts of {s}, which channel
who is paged when {s} goes down

{s} runs on Python 3.{n2} until the {word} library is ported
Python version of {s}
can I use newer syntax in {s}

Dates in {s} are stored in UTC and shown in the zone of the customer
dates in {s}, UTC or local
timezone handling of {s}

Large uploads to {s} are cut into chunks of {n} MB
chunk size of uploads to {s}
sending a big file to {s}

Integration suite of {s} takes {n} minutes, so run only the {word} marker locally
integration suite of {s} is slow
quicker way of testing {s}

Releases of {s} are tagged {word}-YYYY.MM and signed by {who}
how are releases of {s} tagged
version scheme of {s}

The queue of {s} is drained with {tool} before maintenance
drain the queue of {s}
preparing {s} for downtime

{s} must not log customer e-mail addresses
may {s} log e-mail addresses
privacy rules for {s}

I prefer small commits in {s}, one change each, with {ticket} in the subject
commits in {s}, what size
how should my changes to {s} be split

The admin page of {s} is only open to the {word} VPN
admin page of {s} cannot be opened
getting into the back office of {s}

Rate limit of {s} is {n} requests per minute and key
rate limit of {s}
how often may clients call {s}

Mocks are forbidden in tests of {s}; start a real {db} with {tool}
mocks in tests of {s}
faking the database for {s}

{s} caches prices for {n} minutes in {db}
how long does {s} cache prices
customers of {s} see old amounts

{ticket} explains why {s} has two schedulers
why does {s} have two schedulers
reason for the double cron of {s}

Error {code} in {s} means that the certificate of {s2} has expired
error {code} in {s}
{s} cannot connect over TLS

Set --{word}-workers={n} when {s} is profiled
workers when profiling {s}
measuring where {s} spends its time

Translations of {s} are pulled from {bucket} by {who} before each release
translations of {s}
other languages in the interface of {s}
""".strip().split("\n\n")
)

SERVICES = (
    "billing-api checkout inventory ledger mailer search-index gateway auth-server report-builder scheduler "
    "image-resizer webhook-relay price-feed cart-sync notifier audit-trail catalogue invoice-worker session-store "
    "user-profile geo-lookup fraud-check refund-desk loyalty shipping-label tax-rules order-router media-vault "
    "chat-bridge survey-hub data-export partner-portal ticket-desk coupon-engine review-bot stock-watcher "
    "payout-runner consent-log feed-parser ad-server sms-sender returns-app warehouse-ui trial-manager quota-keeper "
    "sitemap-maker pdf-printer event-bus"
).split()

SLOTS = {
    "tool": "just make pytest uv pnpm cargo tox nox bazel task gradle ruff skaffold fabric invoke".split(),
    "db": "PostgreSQL SQLite Redis MySQL DuckDB Cassandra ClickHouse MongoDB DynamoDB".split(),
    "code": "E1042 ECONNRESET SIGBUS ENOSPC E2207 EPIPE ETIMEDOUT E3310 EACCES E4471".split(),
    "var": "HTTP_PROXY APP_MODE FEATURE_SET DB_URL WORKER_POOL CACHE_DIR TLS_STRICT BUILD_TAG".split(),
    "bucket": "cold-store north-archive blue-safe eu-west-keep vault-nine harbour-copy deep-shelf".split(),
    "who": "Amara Björn Chiara Dmitri Esra Farid Greta Hiro Ines Jonas Kemi Lucía".split(),
    "word": "amber falcon orchid granite lantern meadow cobalt walnut harbor saffron pebble juniper".split(),
    "word2": "delta kestrel plume basalt comet thistle marble heron lagoon spruce".split(),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "ticket": "OPS-118 WEB-2041 DATA-77 INFRA-904 PAY-316 CORE-58 APP-1207".split(),
    "n": "5 8 12 15 20 30 45 60 90 100 120".split(),
    "n2": "10 11 12 13".split(),
    "port": "3000 4317 5050 6380 7071 8081 8443 9090 9200 10250".split(),
}
