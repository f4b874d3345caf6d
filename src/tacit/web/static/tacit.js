// Makes pages faster. Everything here also works without it: forms are sent and links are followed.
"use strict";

document.documentElement.classList.add("has-script");

const find = (selector, root = document) => root.querySelector(selector);
const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];

// Pages are fetched and their main part is replaced, so that the list does not jump.

let visits = 0;

async function visit(url, options = {}, { push = true } = {}) {
  const number = ++visits;
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...options });
  } catch {
    showError("The server does not answer. Start it again: tacit web");
    return;
  }
  const text = await response.text();
  if (number !== visits) return;
  if (!(response.headers.get("content-type") || "").startsWith("text/html")) {
    showError(text.trim());
    return;
  }
  const parsed = new DOMParser().parseFromString(text, "text/html");
  const clean = new URL(response.url);
  clean.searchParams.delete("notice");
  const isOther = push && clean.href !== location.href.split("#")[0];
  if (isOther) {
    history.replaceState({ top: scrollY }, "");
    history.pushState({}, "", clean);
  }
  replacePage(parsed);
  if (isOther || !push) scrollTo(0, history.state.top ?? 0);
}

function replacePage(parsed) {
  const scroll = find(".list")?.scrollTop ?? 0;
  const focused = document.activeElement.closest("#main") && document.activeElement;
  document.title = parsed.title;
  find("#main").replaceWith(document.adoptNode(find("#main", parsed)));
  find(".pages").replaceWith(document.adoptNode(find(".pages", parsed)));
  find(".side .json").href = find(".foot .json").href;
  const undo = find("#undo", parsed);
  if (undo && find("#undo")) find("#undo").replaceWith(document.adoptNode(undo));
  if (find(".list")) find(".list").scrollTop = scroll;
  prepare();
  if (focused) (find(`#${CSS.escape(focused.id || "none")}`) ?? find(".card") ?? find("#main")).focus({ preventScroll: true });
}

function showError(text) {
  const box = document.createElement("div");
  box.className = "notice notice-error";
  box.textContent = text;
  find("#notice").replaceChildren(box);
}

let isSending = false;

async function sendForm(form, button) {
  if (isSending) return; // a key that was pressed before the next card was shown decides nothing
  isSending = true;
  const data = new URLSearchParams(new FormData(form, button));
  const action = button?.getAttribute("formaction") ?? form.getAttribute("action"); // form.action is the button of that name
  await visit(action, { method: "POST", body: data });
  isSending = false;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id === "picks") {
    event.preventDefault();
    decidePicked(event.submitter.value);
  }
  if (form.getAttribute("method") !== "post") return;
  event.preventDefault();
  sendForm(form, event.submitter);
});

document.addEventListener("click", (event) => {
  const copy = event.target.closest("button.id");
  if (copy) {
    navigator.clipboard?.writeText(copy.dataset.copy).then(() => {
      const before = copy.textContent;
      copy.textContent = "copied";
      setTimeout(() => (copy.textContent = before), 900);
    });
    return;
  }
  const box = event.target.closest(".pick input");
  if (box) return event.shiftKey ? pickTo(box.dataset.id) : pick(box.dataset.id, box.checked);
  const row = event.target.closest("a.row");
  if (row && !event.ctrlKey && !event.metaKey && event.button === 0) {
    event.preventDefault();
    event.shiftKey ? pickTo(row.dataset.id) : visit(row.href);
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-submit-on-change]");
  if (form) pickNone(); // what is no longer in sight is not decided on
  if (form) visit(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`);
});

// Without a state, another place of the same page was gone to.
window.addEventListener("popstate", (event) => event.state && visit(location.href, {}, { push: false }));

// Cards that are picked in the list, to be decided on together

const picked = new Set();
let anchor = ""; // the card that a range begins at

const boxes = () => findAll(".pick input");
const currentCard = () => find("a.row[aria-current]")?.dataset.id;

function pick(id, isPicked = !picked.has(id)) {
  anchor = id;
  if (!boxes().some((box) => box.dataset.id === id)) return; // a card about a memory that holds
  picked[isPicked ? "add" : "delete"](id);
  showPicked();
}

function pickTo(id) {
  const rows = findAll("a.row").map((row) => row.dataset.id);
  const ends = [rows.indexOf(anchor), rows.indexOf(id)];
  if (ends[0] < 0) ends[0] = rows.indexOf(currentCard());
  const pickable = new Set(boxes().map((box) => box.dataset.id));
  rows.slice(Math.min(...ends), Math.max(...ends) + 1).forEach((row) => pickable.has(row) && picked.add(row));
  showPicked();
}

function pickNone() {
  picked.clear();
  showPicked();
}

function showPicked() {
  const shown = boxes();
  shown.forEach((box) => {
    box.checked = picked.has(box.dataset.id);
    box.closest("li").classList.toggle("is-picked", box.checked);
  });
  const number = shown.filter((box) => box.checked).length;
  find("#picks")?.classList.toggle("has-picked", number > 0);
  if (find(".picked .number")) find(".picked .number").textContent = `${number} ${number === 1 ? "card" : "cards"}:`;
}

async function decidePicked(action) {
  const rows = findAll("a.row").map((row) => row.dataset.id);
  const chosen = boxes().filter((box) => box.checked);
  const at = rows.indexOf(currentCard());
  const rest = [...rows.slice(Math.max(at, 0)), ...rows.slice(0, Math.max(at, 0)).reverse()];
  const fields = new FormData(find("#undo"));
  new FormData(find("#picks")).forEach((value, name) => name !== "pick" && fields.set(name, value));
  chosen.forEach((box) => fields.append("pick", box.value));
  fields.set("next", rest.find((row) => !picked.has(row)) ?? "");
  fields.set("action", action);
  if (isSending || !chosen.length) return;
  isSending = true;
  picked.clear();
  await visit("/bulk", { method: "POST", body: new URLSearchParams(fields) });
  isSending = false;
}

// Search while typing

let searches = 0;
let waiting = 0;
let isReleased = Promise.resolve(); // an answer stays where it is while somebody clicks on it

document.addEventListener("pointerdown", () => {
  isReleased = new Promise((release) => {
    const end = () => setTimeout(release); // the click itself comes right after this event
    ["pointerup", "pointercancel"].forEach((name) => addEventListener(name, end, { once: true }));
  });
});

async function search(form) {
  const number = ++searches;
  const parameters = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  if (!("quiet" in form.dataset)) {
    history.replaceState({}, "", `${form.dataset.live}?${parameters}`);
    findAll("a.json").forEach((link) => (link.href = `${form.dataset.live}?${parameters}&format=json`));
  } else if (![...parameters].length) {
    return find(`#${form.dataset.into}`).replaceChildren();
  }
  parameters.set("fragment", "1");
  const response = await fetch(`${form.dataset.live}?${parameters}`, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok) return;
  const text = await response.text();
  await isReleased;
  if (number !== searches) return; // a later keystroke was faster
  const parsed = new DOMParser().parseFromString(text, "text/html");
  find(`#${form.dataset.into}`).replaceChildren(...[...parsed.body.childNodes].map((node) => document.adoptNode(node)));
  prepare();
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  clearTimeout(waiting);
  waiting = setTimeout(search, 60, form);
  if ("quiet" in form.dataset) showTargets(event.target.value.trim().toLowerCase());
});

// A dialog to search in, or to go to a page, from everywhere

const targets = () => findAll("#palette .targets li:not([hidden]) a, #found a");

function showTargets(text) {
  findAll("#palette .targets li").forEach((item) => (item.hidden = !item.textContent.trim().toLowerCase().startsWith(text)));
}

function openPalette() {
  const palette = find("#palette");
  if (palette.open) return palette.close();
  find("#keys").close();
  find("#wanted").value = "";
  find("#found").replaceChildren();
  showTargets("");
  palette.showModal();
}

function walkPalette(event) {
  const links = targets();
  const at = links.indexOf(document.activeElement);
  if (event.key === "Escape") find("#palette").close(); // a search field would only be emptied
  if (event.key === "Enter" && at < 0 && find("#wanted").value.trim()) {
    const first = find("#palette .targets li:not([hidden]) a");
    if (!first) return; // the form is sent: search
    event.preventDefault();
    first.click();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? find("#wanted") : links[Math.min(next, links.length - 1)])?.focus();
  }
}

// What takes long is asked about again and again, until it is done.

async function poll(box) {
  const response = await fetch(`${box.dataset.poll}?fragment=1`, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok || !box.isConnected) return;
  const parsed = new DOMParser().parseFromString(await response.text(), "text/html");
  box.replaceChildren(...[...parsed.body.childNodes].map((node) => document.adoptNode(node)));
  watch(box);
}

function watch(box) {
  if (box && find(".is-running", box)) setTimeout(poll, 400, box);
}

// Keys

function moveBy(step, isPicking = false) {
  const rows = findAll("a.row");
  if (rows.length) {
    const at = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (at === rows.length - 1 && step > 0) return find(".pager [rel=next]")?.click();
    if (isPicking && !picked.size) pick(rows[at]?.dataset.id ?? "", true);
    rows.forEach((row) => row.removeAttribute("aria-current"));
    next.setAttribute("aria-current", "true");
    if (isPicking) pickTo(next.dataset.id);
    next.scrollIntoView({ block: "nearest" });
    return visit(next.href);
  }
  const hits = findAll("#main .hit");
  const at = hits.findIndex((hit) => hit.classList.contains("is-current"));
  const next = hits[Math.min(Math.max(at + step, 0), hits.length - 1)];
  hits[at]?.classList.remove("is-current");
  next?.classList.add("is-current");
  find("a", next ?? document.createElement("i"))?.focus();
}

function press(key) {
  if (picked.size && (key === "a" || key === "d")) return decidePicked(key === "a" ? "accept" : "dismiss") || true;
  const target = find(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return false;
  const row = find("a.row[aria-current]");
  const card = find("article.card");
  if (row && card && row.dataset.id !== card.dataset.id) return true; // the card is still being fetched
  if (target.tagName === "A") {
    target.click();
  } else if (target.tagName === "DETAILS") {
    target.open = true;
    const field = find("textarea, input:not([type=hidden])", target);
    field?.focus();
    field?.select?.();
  } else {
    sendForm(target.form, target);
  }
  return true;
}

const GO_MILLISECONDS = 1500; // between `g` and the key of a page
let goes = 0;

const KEYS = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  J: () => moveBy(1, true),
  K: () => moveBy(-1, true),
  x: () => pick(currentCard() ?? ""),
  X: () => pickTo(currentCard() ?? ""),
  g: () => (goes = Date.now()),
  u: () => find("#undo") && sendForm(find("#undo")),
  "/": () => (find("#query") ?? find("#find")).focus(),
  "?": () => find("#keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=radio], [type=checkbox]), textarea, select");
  if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    return openPalette();
  }
  if (find("#palette").open) return walkPalette(event);
  if (event.key === "Escape" && !find("#keys").open) {
    const open = event.target.closest("details[open]");
    if (!open && !typing) pickNone();
    event.target.blur();
    if (open?.dataset.key) open.open = false;
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    sendForm(event.target.form, find("button[name]", event.target.form));
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat && !"jkJK".includes(event.key)) return;
  if (find("#keys").open) return;
  if (event.key === "Enter" && event.target.closest("a:not(.row[aria-current]), button, summary, label, input")) return;
  const page = Date.now() - goes < GO_MILLISECONDS && find(`[data-go="${CSS.escape(event.key)}"]`);
  goes = event.key === "Shift" ? goes : 0;
  if (page) {
    event.preventDefault();
    page.click();
  } else if (KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  } else if (press(event.key)) {
    event.preventDefault();
  }
});

// What only makes sense with a script

function prepare() {
  findAll("span.id[data-copy]").forEach((id) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "id";
    button.dataset.copy = id.dataset.copy;
    button.title = `Copy ${id.dataset.copy}`;
    button.textContent = id.textContent;
    id.replaceWith(button);
  });
  findAll(".to-end").forEach((box) => (box.scrollLeft = box.scrollWidth)); // the latest days
  find(".pages [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  findAll(".keys[hidden]").forEach((keys) => (keys.hidden = false));
  if (!location.hash) find(".is-target")?.scrollIntoView({ block: "start" });
  showPicked();
  watch(find("[data-poll]"));
}

if (location.search.includes("notice=")) {
  const clean = new URL(location.href);
  clean.searchParams.delete("notice");
  history.replaceState({}, "", clean);
}
prepare();
