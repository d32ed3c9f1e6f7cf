// Keeps an open page as the server would render it now. The server renders
// everything; this fetches the page again when the event stream tells of a
// change and carries over what differs, so that typed text, focus, open
// details and the place under the pointer stay.

const root = document.documentElement;
const byId = (id) => document.getElementById(id);
const LIVE = { 'X-Corehost-Live': '1' };
root.classList.add('js');

/* Time: words that grow older by themselves, by the server's clock. */

let skew = 0; // server's clock minus the browser's, in milliseconds

function span(seconds) {
  const units = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']];
  const [size, noun] = units.find(([n]) => seconds >= n) || units[3];
  const n = Math.floor(seconds / size);
  return `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
}

function spans(seconds) {
  if (seconds < 60) return span(seconds);
  const big = seconds < 3600 ? [60, 1, 'second'] : seconds < 86400 ? [3600, 60, 'minute'] : [86400, 3600, 'hour'];
  const n = Math.floor((seconds % big[0]) / big[1]);
  return span(seconds) + (n ? ` ${n} ${big[2]}${n === 1 ? '' : 's'}` : '');
}

function ago(seconds) {
  if (seconds < -5) return `in ${span(-seconds)}`;
  return seconds < 2 ? 'just now' : `${span(seconds)} ago`;
}

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function tick() {
  const now = Date.now() + skew;
  for (const t of document.querySelectorAll('time[data-ago], time[data-span], time[data-countdown]')) {
    const seconds = (now - Date.parse(t.dateTime)) / 1000;
    if (t.hasAttribute('data-countdown')) put(t, seconds < 0 ? spans(Math.ceil(-seconds)) : 'now');
    else if (t.hasAttribute('data-span')) put(t, span(Math.abs(seconds)));
    else if (seconds < 2592000) put(t, ago(seconds));
  }
}

/* Carrying over: make one tree as another, touching only what differs. */

let calm = true; // false: nothing may move now, only words may change
let held = false; // something was left out because of that

const keyOf = (n) => (n.nodeType === 1 ? n.id || n.dataset.key || '' : '');
const same = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
const own = { DETAILS: ['open'], DIALOG: ['open'], BUTTON: ['aria-busy'], FORM: ['aria-busy'] }; // what the page itself sets

function attributes(from, to) {
  const mine = own[from.nodeName] || [];
  for (const { name, value } of [...to.attributes]) {
    if (!mine.includes(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!mine.includes(name) && !to.hasAttribute(name)) from.removeAttribute(name);
  }
}

function carry(from, to) {
  if (from.nodeType !== 1) {
    if (from.nodeValue !== to.nodeValue) {
      from.nodeValue = to.nodeValue;
      if (from.nodeValue.trim()) mark(from.parentElement);
    }
    return;
  }
  if (from.hasAttribute('data-keep')) return;
  if (from.nodeName === 'TIME' && from.dateTime === to.dateTime) return;
  attributes(from, to);
  children(from, to);
}

function children(from, to) {
  const next = [...to.childNodes];
  if (!calm && !(next.length === from.childNodes.length && next.every((n, i) => same(from.childNodes[i], n)))) {
    held = true;
    for (const n of next) {
      const twin = keyOf(n) && [...from.children].find((c) => same(c, n));
      if (twin) carry(twin, n);
    }
    return;
  }
  let at = from.firstChild;
  for (const n of next) {
    let twin = at;
    if (!at || !same(at, n)) twin = keyOf(n) ? [...from.children].find((c) => same(c, n)) : null;
    if (twin) {
      if (twin === at) at = at.nextSibling;
      else from.insertBefore(twin, at);
      carry(twin, n);
    } else {
      const fresh = document.importNode(n, true);
      from.insertBefore(fresh, at);
      if (fresh.nodeType === 1) dress(fresh);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

// mark tints for a moment what just changed.
function mark(node) {
  const spot = node?.closest('.pill, dd, td, li p');
  if (!spot || node.closest('time, button, .num')) return;
  spot.classList.remove('changed');
  requestAnimationFrame(() => spot.classList.add('changed'));
}

document.addEventListener('animationend', (e) => e.animationName === 'tint' && e.target.classList.remove('changed'));

/* What stays under the pointer. */

const CONTROL = 'a, button, summary, input, select, textarea, label';
let moved = 0; // when the pointer last moved
addEventListener('pointermove', () => { moved = Date.now(); }, { passive: true });

function aiming() {
  const under = [...document.querySelectorAll(':hover')].pop();
  return Boolean(under?.closest('main')) && Boolean(under.closest(CONTROL)) && Date.now() - moved < 4000;
}

// anchored is what must stay where it is: what the pointer is on, what has the
// focus, or what is read at the top of a scrolled page.
function anchored(main) {
  return document.querySelector('main :is(a, button, summary, input, select):hover') || main.querySelector(':focus')
    || (scrollY > 0 ? document.elementsFromPoint(innerWidth / 2, 120).find((n) => main.contains(n) && n !== main && !n.matches('.grid')) : null);
}

// renewed: the dashboard was updated, and this script is of the version before.
function renewed(doc) {
  const sheetOf = (d) => d.querySelector('link[rel=stylesheet]')?.getAttribute('href');
  const scriptOf = (d) => d.querySelector('script[type=module]')?.getAttribute('src');
  return sheetOf(doc) !== sheetOf(document) || scriptOf(doc) !== scriptOf(document);
}

// adopt makes the page as a freshly fetched one. free: the person asked for
// it, so things may move.
function adopt(doc, free) {
  const main = byId('main');
  const fresh = doc.getElementById('main');
  if (!fresh) return;
  if (renewed(doc) && !document.querySelector('input:focus, dialog[open]')) {
    location.reload();
    return;
  }
  byId('messages').toggleAttribute('data-keep', !free);
  calm = free || !aiming();
  held = false;
  const anchor = free ? null : anchored(main);
  const before = anchor?.getBoundingClientRect().top;
  skew = Number(fresh.dataset.now) - Date.now();
  carry(byId('side'), doc.getElementById('side'));
  carry(main, fresh);
  if (document.title !== doc.title) document.title = doc.title;
  dress(main);
  tick();
  const shift = anchor?.isConnected ? anchor.getBoundingClientRect().top - before : 0;
  if (Math.abs(shift) > 1) scrollBy(0, shift);
  if (held) setTimeout(refresh, 1000);
}

/* Fetching. */

let asked = 0; // number of the newest request for the page
let last = 0; // when the page was last as the server has it
let timer = 0;
const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

// load fetches a page. newest: nothing was asked for since, so it may be shown.
async function load(url, options) {
  const mine = ++asked;
  const answer = await fetch(url, options);
  const doc = parse(await answer.text());
  last = Date.now();
  return { answer, doc, newest: mine === asked };
}

async function refresh() {
  clearTimeout(timer);
  timer = 0;
  if (document.hidden) return;
  let page;
  try {
    page = await load(location.href, { headers: LIVE });
  } catch {
    offline();
    return;
  }
  if (page.newest) adopt(page.doc, false);
  if (stream) online();
}

// soon refreshes, but not more often than once a second.
function soon() {
  if (!timer) timer = setTimeout(refresh, Math.max(60, 1000 - (Date.now() - last)));
}

// go shows another view of this page under its own address.
async function go(url) {
  let page;
  try {
    page = await load(url, { headers: LIVE });
  } catch {
    location.assign(url);
    return;
  }
  if (!page.newest) return;
  history.replaceState(null, '', url);
  adopt(page.doc, true);
}

/* The connection. */

let stream = null;
let retry = 0;

function connect() {
  clearTimeout(retry);
  if (stream || document.hidden) return;
  stream = new EventSource('/api/events');
  const heard = () => { online(); soon(); };
  for (const name of ['state', 'event', 'stats', 'status']) stream.addEventListener(name, heard);
  stream.onerror = () => { hangUp(); offline(); retry = setTimeout(connect, 2000); };
}

function hangUp() {
  stream?.close();
  stream = null;
}

function say(className, text) {
  const live = byId('live');
  if (live.className === className && live.textContent === text) return;
  live.className = className;
  live.setAttribute('role', 'status');
  live.textContent = text;
}

function online() { say('live on', 'live'); }

function offline() {
  if (byId('live').classList.contains('off')) return;
  const since = new Date(last + skew + zone).toISOString().slice(11, 16);
  say('live off', `not live since ${since}`);
}

// A tab nobody looks at lets go of its stream: a browser has only a few
// connections to one host. It catches up when it is looked at again.
let sleep = 0;
document.addEventListener('visibilitychange', () => {
  clearTimeout(sleep);
  if (document.hidden) sleep = setTimeout(hangUp, 15000);
  else { connect(); refresh(); }
});
addEventListener('online', () => { hangUp(); connect(); });
addEventListener('offline', offline);
addEventListener('pagehide', hangUp);
addEventListener('pageshow', (e) => { if (e.persisted) { connect(); refresh(); } });
setInterval(() => { tick(); if (!document.hidden && Date.now() - last > 20000 && !timer) refresh(); }, 1000);

/* Forms and links. */

document.addEventListener('submit', (e) => {
  const form = e.target;
  if (form.hasAttribute('data-submit')) {
    e.preventDefault();
    go(`${form.action.split('#')[0]}?${new URLSearchParams(new FormData(form))}`);
  } else if (form.method === 'post') {
    e.preventDefault();
    send(form, e.submitter);
  }
});

async function send(form, button) {
  if (form.hasAttribute('aria-busy')) return;
  const data = new FormData(form, button);
  data.set('back', location.pathname + location.search);
  for (const b of form.querySelectorAll('button')) b.setAttribute('aria-busy', 'true');
  form.setAttribute('aria-busy', 'true');
  try {
    const { answer, doc } = await load(form.getAttribute('action'), { method: 'POST', body: new URLSearchParams(data) });
    if (answer.ok && !answer.redirected) throw new Error('unexpected answer');
    done(form, answer, doc);
  } catch {
    note('The dashboard could not be reached, so it is not known whether this was done. Look at the page when it is live again.');
    offline();
  } finally {
    form.removeAttribute('aria-busy');
    for (const b of form.querySelectorAll('button')) b.removeAttribute('aria-busy');
  }
}

function done(form, answer, doc) {
  const sheet = form.closest('dialog');
  const refusal = doc.querySelector('#failure');
  if (sheet && !answer.ok && refusal) {
    sheet.querySelector('.flash')?.remove();
    form.before(document.importNode(refusal, true));
    return;
  }
  sheet?.close();
  const problem = doc.querySelector('#problem .detail');
  if (problem || !doc.getElementById('main')) {
    note(problem?.textContent || 'The dashboard refused this, so nothing was changed. Load the page again and repeat it.');
    return;
  }
  const here = new URL(answer.url).pathname === location.pathname;
  if (answer.ok && here) form.reset();
  if (here || !answer.ok) adopt(doc, true);
  else location.assign(answer.url);
}

function note(text) {
  const box = document.createElement('div');
  box.className = 'flash bad';
  box.setAttribute('role', 'alert');
  box.append(Object.assign(document.createElement('p'), { textContent: text }));
  byId('messages').replaceChildren(box);
}

document.addEventListener('click', (e) => {
  const link = e.target.closest('a');
  const plain = link && e.button === 0 && !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.altKey;
  if (plain && link.hasAttribute('data-close') && link.closest('dialog')) {
    e.preventDefault();
    link.closest('dialog').close();
  } else if (plain && link.hasAttribute('data-sheet')) {
    e.preventDefault();
    sheet(link.href);
  } else if (plain && link.hasAttribute('data-swap')) {
    e.preventDefault();
    pick(link);
  } else if (e.target === byId('sheet')) {
    e.target.close(); // the backdrop
  }
  if (e.target.matches('[data-copy]')) copy(e.target);
  if (e.target.matches('[data-dismiss]')) e.target.closest('.flash').remove();
  for (const open of document.querySelectorAll('.pop[open]')) if (!open.contains(e.target)) open.open = false;
});

document.addEventListener('keydown', (e) => {
  if (e.key === 'Escape') for (const open of document.querySelectorAll('.pop[open]')) { open.open = false; open.querySelector('summary').focus(); }
});

// sheet shows a page of its own in a dialog over this one.
async function sheet(url) {
  try {
    const answer = await fetch(url, { headers: LIVE });
    const doc = parse(await answer.text());
    const content = doc.querySelector('[data-sheet-content], #problem');
    const dialog = byId('sheet');
    byId('sheet-body').replaceChildren(document.importNode(content, true));
    dress(dialog);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  } catch {
    location.assign(url);
  }
}

// pick follows a link that fills a field or turns a page of a list.
async function pick(link) {
  const { hash } = link;
  const list = link.closest('.list');
  const top = list?.scrollTop;
  const value = link.dataset.value;
  if (value !== undefined) byId('model-name').value = value;
  await go(link.href.split('#')[0]);
  const field = byId('model-name');
  if (field && value === undefined) {
    field.value = field.defaultValue;
    narrow(field, '');
  }
  if (list?.isConnected) list.scrollTop = top;
  else if (!list) document.querySelector(hash)?.scrollIntoView();
}

const narrowed = new Map(); // what each list is narrowed to

// narrow shows the entries of a list that hold every typed word.
function narrow(field, text) {
  const list = field.dataset.filter || field.dataset.pick;
  narrowed.set(list, text);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll(`${list} > li`)) {
    const there = item.dataset.search.toLowerCase();
    item.hidden = !words.every((w) => there.includes(w));
  }
}

let typing = 0;
document.addEventListener('input', (e) => {
  const field = e.target;
  if (field.dataset.filter) narrow(field, field.value);
  if (!field.dataset.pick) return;
  narrow(field, field.value);
  clearTimeout(typing);
  typing = setTimeout(() => {
    const data = new FormData(field.form);
    data.delete('do');
    go(`${field.form.dataset.preview}?${new URLSearchParams(data)}`);
  }, 250);
});

document.addEventListener('change', (e) => e.target.form?.hasAttribute('data-submit') && e.target.form.requestSubmit());

// copy puts a command on the clipboard, or selects it where that is refused.
async function copy(button) {
  const code = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(code.textContent);
    byId('said').textContent = `Copied: ${code.textContent}`;
    button.classList.add('done');
    setTimeout(() => button.classList.remove('done'), 2000);
  } catch {
    getSelection().selectAllChildren(code);
  }
}

// dress does again what the server cannot know: which entries are narrowed
// away. The field's own list of proposals would lie over the one below it.
function dress(part) {
  for (const field of part.querySelectorAll('[data-filter], [data-pick]')) {
    field.removeAttribute('list');
    const text = narrowed.get(field.dataset.filter || field.dataset.pick);
    if (text) narrow(field, text);
  }
}

const zone = Number(byId('main').dataset.zone) * 1000; // the host's zone, ahead of UTC
last = Date.now();
skew = Number(byId('main').dataset.now) - last;
byId('live').setAttribute('data-keep', ''); // from here on it tells of the connection
dress(document);
tick();
connect();
