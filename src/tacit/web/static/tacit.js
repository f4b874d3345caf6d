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
  if (push) history.pushState({}, "", clean);
  replacePage(parsed);
}

function replacePage(parsed) {
  const scroll = find(".list")?.scrollTop ?? 0;
  document.title = parsed.title;
  find("#main").replaceWith(document.adoptNode(find("#main", parsed)));
  find(".pages").replaceWith(document.adoptNode(find(".pages", parsed)));
  const undo = find("#undo", parsed);
  if (undo && find("#undo")) find("#undo").replaceWith(document.adoptNode(undo));
  if (find(".list")) find(".list").scrollTop = scroll;
  prepare();
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
  await visit(form.getAttribute("action"), { method: "POST", body: data }); // form.action is the button of that name
  isSending = false;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
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
  const row = event.target.closest("a.row");
  if (row && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    visit(row.href);
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-submit-on-change]");
  if (form) visit(`${form.getAttribute("action")}?${new URLSearchParams(new FormData(form))}`);
});

window.addEventListener("popstate", () => visit(location.href, {}, { push: false }));

// Search while typing

let searches = 0;
let waiting = 0;

async function search(form) {
  const number = ++searches;
  const parameters = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState({}, "", `${form.dataset.live}?${parameters}`);
  parameters.set("fragment", "1");
  const response = await fetch(`${form.dataset.live}?${parameters}`, { credentials: "same-origin" }).catch(() => null);
  if (!response?.ok) return;
  const text = await response.text();
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
});

// Keys

function moveBy(step) {
  const rows = findAll("a.row");
  if (rows.length) {
    const at = rows.findIndex((row) => row.hasAttribute("aria-current"));
    const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
    if (at === rows.length - 1 && step > 0) return find(".pager [rel=next]")?.click();
    rows.forEach((row) => row.removeAttribute("aria-current"));
    next.setAttribute("aria-current", "true");
    next.scrollIntoView({ block: "nearest" });
    return visit(next.href);
  }
  const hits = findAll(".hit");
  const at = hits.findIndex((hit) => hit.classList.contains("is-current"));
  const next = hits[Math.min(Math.max(at + step, 0), hits.length - 1)];
  hits[at]?.classList.remove("is-current");
  next?.classList.add("is-current");
  find("a", next ?? document.createElement("i"))?.focus();
}

function press(key) {
  const target = find(`[data-key="${key}"]`);
  if (!target) return false;
  const row = find("a.row[aria-current]");
  const card = find("article.card");
  if (row && card && row.dataset.id !== card.dataset.id) return true; // the card is still being fetched
  if (target.tagName === "DETAILS") {
    target.open = true;
    const field = find("textarea, input:not([type=hidden])", target);
    field?.focus();
    field?.select?.();
  } else {
    sendForm(target.form, target);
  }
  return true;
}

const KEYS = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  u: () => find("#undo") && sendForm(find("#undo")),
  "/": () => (find("#query") ?? find("#find")).focus(),
  "?": () => find("#keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=radio], [type=checkbox]), textarea, select");
  if (event.key === "Escape" && !find("#keys").open) {
    const open = event.target.closest("details[open]");
    event.target.blur();
    if (open?.dataset.key) open.open = false;
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) {
    event.preventDefault();
    sendForm(event.target.form, find("button[name]", event.target.form));
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat && !"jk".includes(event.key)) return;
  if (find("#keys").open) return;
  if (KEYS[event.key]) {
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
}

if (location.search.includes("notice=")) {
  const clean = new URL(location.href);
  clean.searchParams.delete("notice");
  history.replaceState({}, "", clean);
}
prepare();
