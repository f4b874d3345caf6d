"""Tokens in addresses: webhooks, bots, private feeds, links that log somebody in, signed links.

Rows as in `shapes`. Services whose addresses are known come first; the last rows know only telling words in a path.
"""

from __future__ import annotations

from tacit.core.secrets.shapes import LINKED, LONG, RANDOM, SURE, Shape

_HOOK = "webhook"
_SEGMENT = r"(?P<v>[A-Za-z0-9_.~=-]{16,400}(?:%3[Dd]){0,2})"
# fmt: off
ADDRESSES: tuple[Shape, ...] = (
    ("Telegram bot token", "/bot", "", r"/bot(?P<v>\d{6,12}:[A-Za-z0-9_-]{30,50})", SURE,
     "https://api.telegram.org/bot<d10>:AA<w33>/getUpdates", "https://example.org/bot12345:info"),
    (_HOOK, "discord.com/api/ discordapp.com/api/", "", r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,21}/(?P<v>[\w-]{40,100})",
     SURE, "https://discord.com/api/v10/webhooks/<d18>/<w68>", "https://discord.com/api/v10/webhooks/<d18>"),
    (_HOOK, "hooks.slack-gov.com/ hooks.slack.com/", "", r"hooks\.slack(?:-gov)?\.com/[a-z]{3,20}/(?P<v>[A-Za-z0-9/]{30,100})", LINKED,
     "https://hooks.slack.com/triggers/T<u10>/<d13>/<x32>", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    (_HOOK, "hooks.zapier.com/", "", r"hooks\.zapier\.com/hooks/(?:catch|standard)/(?P<v>\d{4,12}/[A-Za-z0-9/]{6,60})", SURE,
     "https://hooks.zapier.com/hooks/standard/<d7>/<l7>/", "https://hooks.zapier.com/hooks/catch/"),
    (_HOOK, "outlook.office.com/ outlook.office365.com/ .webhook.office.com/", "",
     r"[a-z0-9.]{0,20}office(?:365)?\.com/(?:webhook|webhookb2|owa/calendar)/(?P<v>[A-Za-z0-9@./-]{40,400})", SURE,
     "https://outlook.office.com/webhook/<uuid>@<uuid>/IncomingWebhook/<x32>/<uuid>", "https://outlook.office.com/webhook/help"),
    (_HOOK, "logic.azure.com", "", r"logic\.azure\.com[^\s\"']{0,400}[?&]sig=(?P<v>[\w%.~+/-]{20,100})", SURE,
     "https://prod-1.westeurope.logic.azure.com:443/workflows/<x32>/triggers/manual/paths/invoke?api-version=1&sig=<w43>",
     "https://prod-1.westeurope.logic.azure.com/workflows/<x32>"),
    (_HOOK, "chat.googleapis.com/", "", r"chat\.googleapis\.com/v1/spaces/[^\s\"']{1,60}[?&](?:key=[\w-]{20,60}&)?token=(?P<v>[\w%.~+/-]{20,120})", SURE,
     "https://chat.googleapis.com/v1/spaces/<a11>/messages?key=AIza<w35>&token=<w43>", "https://chat.googleapis.com/v1/spaces/<a11>/messages"),
    (_HOOK, "maker.ifttt.com/", "", r"maker\.ifttt\.com/(?:trigger/[^\s/]{1,80}/(?:json/)?with/key|use)/(?P<v>[\w-]{16,100})", SURE,
     "https://maker.ifttt.com/trigger/door/with/key/<w22>", "https://maker.ifttt.com/trigger/door"),
    (_HOOK, ".make.com/ hook.integromat.com/", "", r"(?:(?<=hook\.eu1)|(?<=hook\.eu2)|(?<=hook\.us1)|(?<=hook\.us2)|hook)\.(?:make|integromat)\.com/(?P<v>[a-z0-9]{20,60})", SURE,
     "https://hook.eu1.make.com/<l32>", "https://www.make.com/<l32>"),
    (_HOOK, "/open-apis/bot/", "", r"/open-apis/bot/v\d/hook/(?P<v>[\w-]{20,60})", SURE,
     "https://open.feishu.cn/open-apis/bot/v2/hook/<uuid>", "https://open.feishu.cn/open-apis/bot/v2/info"),
    (_HOOK, "oapi.dingtalk.com/ qyapi.weixin.qq.com/", "", r"[a-z.]{8,20}\.com/[\w/-]{1,40}\?(?:access_token|key)=(?P<v>[\w-]{20,80})", SURE,
     "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=<uuid>", "https://oapi.dingtalk.com/robot/send?lang=zh"),
    (_HOOK, "api.render.com/deploy/", "", r"api\.render\.com/deploy/srv-[a-z0-9]{10,40}\?key=(?P<v>[\w-]{8,40})", SURE,
     "https://api.render.com/deploy/srv-<l20>?key=<a11>", "https://api.render.com/deploy/srv-<l20>"),
    (_HOOK, "/integrations/deploy/", "", r"/integrations/deploy/(?P<v>prj_\w{10,40}/[A-Za-z0-9]{8,40})", SURE,
     "https://api.vercel.com/v1/integrations/deploy/prj_<a24>/<a10>", "https://api.vercel.com/v1/integrations/deploy/"),
    (_HOOK, "/build_hooks/", "", r"/build_hooks/(?P<v>[0-9a-f]{20,40})", SURE, "https://api.netlify.com/build_hooks/<x24>",
     "https://api.netlify.com/build_hooks/new"),
    (_HOOK, "hc-ping.com/ /heartbeat/ cronitor.link/p/ /integration/", "", r"(?:hc-ping\.com|/heartbeat|cronitor\.link/p|/integration)/(?P<v>[0-9A-Za-z-]{22,40})",
     RANDOM, "https://hc-ping.com/<uuid>", "https://hc-ping.com/about"),
    ("token in an address", "infura.io/v3/ infura.io/ws/v3/ alchemy.com/v2/ alchemyapi.io/v2/ .quiknode.pro/ rpc.ankr.com/ .chainstack.com/ blastapi.io/ .drpc.org/",
     "", r"[a-z0-9.]{0,20}(?:\.io|\.com|\.pro|\.org)/(?:[a-z0-9_]{1,20}/){0,2}(?P<v>[A-Za-z0-9_-]{24,80})", LONG,
     "https://eth-mainnet.g.alchemy.com/v2/<w32>", "https://docs.alchemy.com/v2/reference"),
    ("token in an address", "/private-", "", r"/private-(?P<v>[0-9a-f]{20,64})", SURE,
     "https://calendar.google.com/calendar/ical/me%40example.org/private-<x32>/basic.ics", "/private-beta/notes"),
    ("token in an address", "/published/", "", r"/published/\d/(?P<v>[\w-]{30,200})", RANDOM,
     "webcal://p12-caldav.icloud.com/published/2/<a60>", "https://example.org/published/2/articles"),
    ("signature in an address", "signature=", "", r"(?:(?<=[?&;-])|(?<=amp;))signature=(?P<v>[A-Za-z0-9%+/=_~-]{16,1024})", RANDOM,
     "https://x.s3.amazonaws.com/a?X-Amz-Expires=60&X-Amz-Signature=<x64>", "https://example.org/?signature=required"),
    ("signature in an address", "sig=", "", r"(?<=[?&;])sig=(?P<v>[A-Za-z0-9%+/=_~-]{20,200})", RANDOM,
     "https://x.blob.core.windows.net/a?sv=2023&sig=<w43>%3D", "https://example.org/?sig=none"),
    ("password in an address", "thin:", "", r"thin:[\w$.]{1,40}/(?P<v>[^\s@/\"']{3,80})@", SURE, "jdbc:oracle:thin:scott/hunter2@db:1521:orcl",
     "jdbc:oracle:thin:@db:1521:orcl"),
    ("token in an address", "tok= appid= app_id= rlkey= resourcekey= accesskey= subscription-key= auth= k= hash= h= invite_code= share=", "",
     r"(?<=[?&])[a-z_-]{1,16}=(?P<v>[A-Za-z0-9%+/=_.~-]{20,2048})", LINKED,
     "https://api.example.org/weather?q=Wien&appid=<x32>", "https://example.org/?auth=required_for_all_members"),
    ("token in an address", "/magic /auth/ /login /signin /sign-in /reset /verif /confirm /activat /invit /unsubscribe /download /accept /recover /sso", "",
     r"/[\w-]{3,30}(?:/[\w.-]{1,40}){0,3}\?(?:[\w.\[\]-]{1,30}=[^\s&\"'#]{0,200}&(?:amp;)?){0,4}?(?!client|state|nonce|redirect|[\w-]{0,20}id=)[\w-]{1,20}=(?P<v>[A-Za-z0-9_~.+/=-]{32,400})(?=[&\s\"'#)>,]|$)", LINKED,
     "https://app.example.org/auth/magic?email=a%40b.org&t=<w43>&next=x", "https://app.example.org/login?next=/reports/all-customers/of-the-last-month"),
    ("stream key", "rtmp", "", r"rtmps?://[^\s/\"']{3,100}/(?:[\w-]{1,20}/)?(?P<v>[A-Za-z0-9_-]{12,100})", RANDOM,
     "ffmpeg -i a.mp4 -f flv rtmp://a.rtmp.youtube.com/live2/<l4>-<l4>-<l4>-<l4>", "rtmp://live.example.org/app/my-first-stream"),
    ("token in an address", "code= ticket= otp= invite= magic= reset= verification= confirmation= jwt= assertion= samlresponse=", "",
     r"(?<=[?&])(?:code|ticket|otp|invite|magic|reset|verification|confirmation|jwt|assertion|samlresponse)=(?P<v>[A-Za-z0-9%+/=_.~-]{20,2048})", LINKED,
     "https://example.org/callback?code=<w40>&x=1", "https://example.org/callback?code=access_denied_by_resource_owner"),
    ("token in an address",
     "/reset /magic /invit /verif /confirm /activat /hooks/ /hook/ /webhook /rss/ /feed /ical/ /with/key/ /auth/ /login/ /signin/ "
     "/sign-in/ /sso/ /join/ /accept /unsubscribe /passwordless /recover /otp/ /token/ /apikey/ /api-key/ /secret /set-password "
     "/password /passwort /pwd /mot-de-passe /contrase /senha /wachtwoord /haslo /heslo /parola /salasana /lozinka /zurueck /connexion /anmeld /recuper /restab "
     "/redefin /reimpost /reiniti /share/ /shared/ /public- /freigabe /link/ /lien/ /enlace/ /one-time /onetime /private/ /podcast /trigger /redeem /claim /guest/",
     "", r"/[\w-]{1,30}(?:/[\w.@%~-]{1,40}){0,3}?/" + _SEGMENT + r"(?![\w/-]{0,40}\.(?:js|css|map|png|svg|html)\b)", LINKED,
     "https://app.example.org/login/magic/<w22>.<w30>", "https://example.org/reset/how-to-reset-your-password-2024"),
)
# fmt: on
