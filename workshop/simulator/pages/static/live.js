"use strict";
// Brings the page up to date about once a second, while somebody looks at it. The server sends
// what its templates made of the page as it is now; only what differs is replaced, so that what
// was unfolded, focused or selected stays so.
(() => {
  const SECOND = 1000;
  const live = document.getElementById("live");
  const notice = document.getElementById("notice");
  const address = new URL(location.href);
  address.hash = "";
  address.searchParams.set("part", "live");
  let tag = live.dataset.tag;
  let timer = 0;

  function match(now, fresh) {
    if (now.isEqualNode(fresh)) return;
    if (!("keyed" in fresh.dataset)) { now.replaceWith(fresh); return; }
    const kept = new Map([...now.children].map((child) => [child.id, child]));
    const wanted = [...fresh.children];
    const ids = new Set(wanted.map((child) => child.id));
    for (const [id, child] of kept) if (!ids.has(id)) child.remove();
    let at = now.firstElementChild;
    for (const child of wanted) {
      const known = kept.get(child.id);
      if (!known) { now.insertBefore(child, at); continue; }
      if (known === at) at = at.nextElementSibling;
      else now.insertBefore(known, at);
      match(known, child);
    }
  }

  function update(html) {
    const fresh = live.cloneNode(false);
    fresh.append(new DOMParser().parseFromString(html, "text/html").body);
    fresh.firstElementChild.replaceWith(...fresh.firstElementChild.children);
    for (const box of fresh.querySelectorAll("details[id]")) {
      box.open = document.getElementById(box.id)?.open ?? false;
    }
    const focused = document.activeElement?.id;
    const page = document.documentElement;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= page.scrollHeight - 8;
    match(live, fresh);
    if (focused && document.activeElement.id !== focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    if (atEnd) scrollTo(0, page.scrollHeight);
  }

  async function look() {
    if (document.hidden) return;
    let said = "live";
    try {
      const answer = await fetch(address, { headers: { "If-None-Match": tag }, cache: "no-store",
                                            signal: AbortSignal.timeout(10 * SECOND) });
      if (answer.status === 200) {
        update(await answer.text());
        tag = answer.headers.get("ETag");
      } else if (answer.status === 404) {
        said = "The platform does not know this any more.";
      } else if (answer.status !== 304) {
        said = `The platform answers ${answer.status}.`;
      }
    } catch {
      said = "The platform does not answer.";
    }
    notice.textContent = said;
    clearTimeout(timer);
    timer = setTimeout(look, said === "live" ? SECOND : 5 * SECOND);
  }

  document.addEventListener("visibilitychange", () => { clearTimeout(timer); look(); });
  look();
})();
