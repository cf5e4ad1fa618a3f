/** The script of the pages, as browsers get it: exchanges what has changed, and leaves alone what a person has opened, typed or reached. */

export const CLIENT = `'use strict';
(() => {
  const meta = (name) => document.querySelector('meta[name="' + name + '"]')?.content;
  const events = meta('ui-events');
  const link = document.getElementById('ui-link');
  let pauseMs = 500;
  let state = meta('ui-state');
  let told = state;
  let hashes = new Map((meta('ui-sections') ?? '').split(',').filter(Boolean).map((pair) => pair.split('=')));
  let source;
  let timer;
  let lastMs = -pauseMs;
  let isAsking = false;
  let isWanted = false;

  const say = (text, state) => {
    if (!link) return;
    if (link.textContent !== text) link.textContent = text;
    link.dataset.state = state;
  };

  /* What a person has done to a page stays: an opened fold, a typed text. */
  const KEPT = { DETAILS: ['open'], INPUT: ['value', 'checked'], OPTION: ['selected'] };
  const isKept = (node, name) => KEPT[node.nodeName]?.includes(name);

  const morph = (now, next) => {
    if (now.isEqualNode(next)) return;
    if (now.nodeName !== next.nodeName || now.id !== next.id) return now.replaceWith(next);
    if (now.nodeType !== Node.ELEMENT_NODE) {
      now.data = next.data;
      return;
    }
    for (const { name } of [...now.attributes]) if (!next.hasAttribute(name) && !isKept(now, name)) now.removeAttribute(name);
    for (const { name, value } of next.attributes) {
      if (now.getAttribute(name) !== value && !isKept(now, name)) now.setAttribute(name, value);
    }
    if (now.nodeName !== 'TEXTAREA') morphChildren(now, next);
  };

  const morphChildren = (now, next) => {
    const byId = new Map([...now.children].filter((child) => child.id).map((child) => [child.id, child]));
    const wanted = new Set([...next.children].map((child) => child.id).filter(Boolean));
    let place = now.firstChild;
    for (const child of [...next.childNodes]) {
      while (place && place.id && !wanted.has(place.id)) {
        const gone = place;
        place = place.nextSibling;
        gone.remove();
      }
      const same = child.id ? byId.get(child.id) : place && !place.id && place.nodeName === child.nodeName ? place : undefined;
      if (!same) {
        now.insertBefore(child, place);
        continue;
      }
      if (same === place) place = place.nextSibling;
      else now.insertBefore(same, place);
      morph(same, child);
    }
    while (place) {
      const gone = place;
      place = place.nextSibling;
      gone.remove();
    }
  };

  /* The way to sections that have come since. */
  const showWays = (order, titles) => {
    const ways = document.querySelector('nav[aria-label="Sections"]');
    if (!ways) return;
    for (const way of [...ways.children]) if (!order.includes(way.hash?.slice(1))) way.remove();
    for (const [at, id] of order.filter((one) => !one.startsWith('ui-')).entries()) {
      if (ways.children[at]?.hash === '#' + id) continue;
      const way = document.createElement('a');
      way.href = '#' + id;
      way.textContent = titles[id];
      ways.insertBefore(way, ways.children[at] ?? null);
    }
  };

  const exchange = ({ title, order, titles, changed }) => {
    document.title = title;
    for (const id of hashes.keys()) if (!order.includes(id)) document.getElementById(id)?.remove();
    const next = new Map(order.map((id) => [id, hashes.get(id)]));
    for (const { id, hash, html } of changed) {
      const made = new DOMParser().parseFromString(html, 'text/html').body.firstElementChild;
      if (!made) continue;
      const now = document.getElementById(id);
      const before = order.slice(0, order.indexOf(id)).map((one) => document.getElementById(one)).findLast(Boolean);
      if (now) morph(now, made);
      else if (before) before.after(made);
      else document.querySelector('main')?.prepend(made);
      next.set(id, hash);
    }
    hashes = next;
    showWays(order, titles);
    tick();
    document.documentElement.dispatchEvent(new CustomEvent('pipeline:changed'));
  };

  const ask = async () => {
    const asked = told;
    isAsking = true;
    isWanted = false;
    lastMs = performance.now();
    const have = [...hashes].map(([id, hash]) => id + '=' + hash).join(',');
    try {
      const answer = await fetch(location.pathname + location.search, {
        headers: { accept: 'application/json', 'x-have': have },
        cache: 'no-store',
      });
      if (answer.ok) {
        exchange(await answer.json());
        state = asked;
        say('live', 'on');
      } else if (answer.status === 404) say('this run is gone', 'off');
      else say('not up to date: load the page anew', 'off');
    } catch {
      say('pipeline ui has ended', 'off');
    }
    /* What is long to make is asked for less often. */
    pauseMs = Math.max(500, 3 * (performance.now() - lastMs));
    isAsking = false;
    if (isWanted) want();
  };

  const want = () => {
    isWanted = true;
    if (isAsking) return;
    clearTimeout(timer);
    timer = setTimeout(ask, Math.max(0, lastMs + pauseMs - performance.now()));
  };

  const listen = () => {
    if (!events || source || document.visibilityState !== 'visible') return;
    source = new EventSource(events);
    source.addEventListener('state', ({ data }) => {
      told = data;
      if (told === state) say('live', 'on');
      else want();
    });
    source.addEventListener('error', ({ target }) => {
      say('pipeline ui does not answer', 'off');
      /* Of an answer that is no stream, such as that too many listen, a browser does not ask again. */
      if (target.readyState === EventSource.CLOSED && target === source) setTimeout(anew, 5000);
    });
  };
  const close = () => {
    source?.close();
    source = undefined;
  };
  const anew = () => {
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    listen();
  };

  /* A browser opens six connections to one server: pages that nobody sees leave theirs to others. */
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') listen();
    else close();
  });
  addEventListener('pagehide', close);

  const spoken = (ms) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    if (seconds < 60) return seconds + ' s';
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return minutes + ' min' + (seconds % 60 ? ' ' + (seconds % 60) + ' s' : '');
    return Math.floor(minutes / 60) + ' h' + (minutes % 60 ? ' ' + (minutes % 60) + ' min' : '');
  };
  const tick = () => {
    for (const one of document.querySelectorAll('time[data-since]')) {
      const text = spoken(Date.now() - Date.parse(one.dataset.since));
      if (one.textContent !== text) one.textContent = text;
    }
  };
  setInterval(tick, 1000);

  const filter = document.querySelector('form[data-filter]');
  if (filter) {
    let typing;
    const apply = () => {
      const query = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value !== ''));
      history.replaceState(null, '', query.size > 0 ? '?' + query : location.pathname);
      lastMs = -pauseMs;
      want();
    };
    filter.addEventListener('input', () => {
      clearTimeout(typing);
      typing = setTimeout(apply, 150);
    });
    filter.addEventListener('submit', (event) => {
      event.preventDefault();
      clearTimeout(typing);
      apply();
    });
  }

  /* A second press of what takes a moment would do it twice. */
  document.addEventListener('submit', ({ target, submitter }) => {
    if (target.method !== 'post') return;
    setTimeout(() => {
      for (const button of target.querySelectorAll('button')) button.disabled = true;
      submitter?.setAttribute('aria-busy', 'true');
    });
  });

  document.getElementById('ui-problems')?.focus();
  listen();
})();
`;
