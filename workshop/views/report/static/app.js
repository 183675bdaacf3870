"use strict";
// Texts of benchmarks and models reach the page escaped by the templates, or through textContent here.
// Only what the templates made is ever set as HTML.
(() => {
  const $ = (id) => document.getElementById(id);
  const page = JSON.parse($("page").textContent);
  const { asked, clean, make, unpack } = Shown;

  // --- light and dark -----------------------------------------------------------------------
  const root = document.documentElement;
  const remembered = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
                       set: (name) => { try { localStorage.setItem("theme", name); } catch { /* opened from disk */ } } };
  if (remembered.get()) root.dataset.theme = remembered.get();
  $("theme")?.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remembered.set(root.dataset.theme);
  });

  // The index has no state worth keeping: its body is taken anew when the server has another one.
  function refresh() {
    if (!page.live) return;
    let tag = "";
    setInterval(async () => {
      try {
        const answer = await fetch(location.pathname, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
        if (answer.status !== 200) return;
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
        tag = answer.headers.get("ETag") ?? "";
        if (fresh.querySelector("#list").innerHTML !== $("list").innerHTML) $("list").replaceChildren(...fresh.querySelector("#list").childNodes);
      } catch { /* the server is gone; the page stays as it was */ }
    }, 2000);
  }

  // --- the table ----------------------------------------------------------------------------
  const body = $("tasks")?.tBodies[0];
  if (!body) return refresh();
  unpack(document.body);
  document.addEventListener("toggle", (event) => { if (event.target.open) unpack(event.target); }, true);
  const rowOf = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  const taskOf = new Map(page.tasks.map((task) => [task.key, task]));
  const placeOf = new Map(page.tasks.map((task, at) => [task.key, at]));
  const first = page.filter ?? "", hunted = first || "failed";
  let filter = asked.get("filter") ?? first, sorting = Shown.sortingOf(), here = null, open = null;
  if (filter === "all") filter = "";
  const picks = [...document.querySelectorAll("[data-fact]")];
  $("find").value = asked.get("find") ?? "";

  // Groups, causes and mechanics to pick from, as the tasks have them by now.
  function offerPicks() {
    for (const pick of picks) {
      const name = pick.dataset.fact, chosen = pick.value || (asked.get(name) ?? "");
      const values = new Set([...taskOf.values()].flatMap((task) => task.facts[name]));
      if (chosen) values.add(chosen);
      if (pick.options.length !== values.size + 1) {
        pick.replaceChildren(new Option(`Every ${name}`, ""), ...[...values].sort().map((value) => new Option(clean(value), value)));
        pick.value = chosen;
      }
      pick.hidden = !values.size;
    }
  }

  const visible = () => [...body.rows].filter((row) => !row.hidden);

  function sift() {
    const words = wanted();
    offerPicks();
    let count = 0;
    for (const [key, row] of rowOf) {
      const task = taskOf.get(key);
      const stays = (!filter || task.flags.includes(filter)) && picks.every((pick) => !pick.value || task.facts[pick.dataset.fact].includes(pick.value))
        && words.every((word) => task.find.some(([, text]) => word.test(text)));
      row.hidden = !stays;
      count += stays;
      if (stays) showHits(row, task, words);
    }
    $("count").textContent = count === rowOf.size ? `${count} tasks` : `${count} of ${rowOf.size} tasks`;
    if ($("none")) $("none").hidden = count > 0;
    Shown.remember({
      find: $("find").value, filter: filter === first ? "" : filter || "all",
      ...Object.fromEntries(picks.map((pick) => [pick.dataset.fact, pick.value])),
    });
    light();
  }

  // --- where a search hit -------------------------------------------------------------------
  const AROUND = 40;
  const wanted = () => $("find").value.split(/\s+/).filter(Boolean)
    .map((word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "iu"));
  const anyOf = (words) => new RegExp(words.map((word) => word.source).join("|"), "giu");

  function marked(text, words) {
    const parts = [];
    let from = 0;
    for (const found of text.matchAll(anyOf(words))) {
      parts.push(clean(text.slice(from, found.index)), make("mark", found[0]));
      from = found.index + found[0].length;
    }
    return [...parts, clean(text.slice(from))];
  }

  // Name and text of a task are seen in its row; a hit in anything else gets a line of its own.
  function showHits(row, task, words) {
    for (const old of row.querySelectorAll(".hit")) old.remove();
    const seen = { name: row.querySelector("th a"), task: row.querySelector("th .wish") };
    for (const node of Object.values(seen)) {
      if (node?.plain) node.replaceChildren(...node.plain);
    }
    if (!words.length) return;
    for (const [where, text] of task.find) {
      const at = text.search(anyOf(words));
      if (at < 0) continue;
      const node = seen[where];
      if (node && node.textContent.search(anyOf(words)) >= 0) {
        node.plain ??= [...node.childNodes];
        node.replaceChildren(...marked(node.textContent, words));
        continue;
      }
      const from = Math.max(0, at - AROUND);
      const line = make("span", `${where}: ${from ? "…" : ""}`, "hit");
      line.append(...marked(text.slice(from, at + 2 * AROUND), words), at + 2 * AROUND < text.length ? "…" : "");
      row.querySelector("th").append(line);
    }
  }

  function light() {
    if (!globalThis.Highlight) return;
    const words = wanted(), ranges = [];
    if (words.length && open !== null) {
      const texts = document.createTreeWalker($("story-body"), NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const found of texts.currentNode.data.matchAll(anyOf(words))) {
          const range = new Range();
          range.setStart(texts.currentNode, found.index);
          range.setEnd(texts.currentNode, found.index + found[0].length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  function sort() {
    const [name, up] = sorting ?? [null, true];
    const value = (key) => (name ? taskOf.get(key).sort[name] ?? null : placeOf.get(key));
    const keys = [...rowOf.keys()].sort((a, b) => Shown.order(value(a), value(b), up) || placeOf.get(a) - placeOf.get(b));
    body.append(...keys.map((key) => rowOf.get(key)));
    Shown.markSorted($("tasks"), sorting);
    Shown.remember({ sort: Shown.sortingText(sorting) });
  }

  // The task that the address names, and the turn of it; "" for none.
  function addressed() {
    try { const [key, turn = ""] = location.hash.slice(1).split("/").map(decodeURIComponent); return [key, turn]; }
    catch { return ["", ""]; /* not one of ours */ }
  }

  function goTo(row, focus = true) {
    if (!row) return;
    if (here) rowOf.get(here)?.classList.remove("here");
    here = row.dataset.key;
    row.classList.add("here");
    if (open !== null) { if (addressed()[0] !== here) location.hash = encodeURIComponent(here); row.scrollIntoView({ block: "nearest" }); }
    else if (focus) { row.querySelector("a").focus(); row.scrollIntoView({ block: "center" }); }
  }

  function step(by, fits = () => true) {
    const rows = visible();
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.dataset.key === here);
    for (let n = 1; n <= rows.length; n++) {
      const from = at < 0 && by < 0 ? 0 : at;
      const row = rows[(from + by * n + rows.length * 2) % rows.length];
      if (fits(taskOf.get(row.dataset.key))) return goTo(row);
    }
  }

  const filters = [...document.querySelectorAll("[data-filter]")];
  const pressFilter = () => { for (const button of filters) button.setAttribute("aria-pressed", String(button.dataset.filter === filter)); };
  for (const button of filters) {
    button.addEventListener("click", () => { filter = button.dataset.filter; pressFilter(); sift(); });
  }
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      const name = button.dataset.sort;
      sorting = Shown.nextSorting(sorting, name, typeof page.tasks[0]?.sort[name] === "string");
      sort();
    });
  }
  $("find").addEventListener("input", sift);
  for (const pick of picks) pick.addEventListener("change", sift);
  Shown.offerFiles(() => visible().map((row) => {
    const task = taskOf.get(row.dataset.key);
    return { ...task.sort, ...task.facts };
  }));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a")) location.hash = encodeURIComponent(row.dataset.key);
  });

  // --- one task -----------------------------------------------------------------------------
  async function storyOf(key) {
    if (page.live) {
      const answer = await fetch(`tasks/${encodeURIComponent(key)}`);
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      return answer.text();
    }
    const packed = atob($(`story-${placeOf.get(key)}`).textContent);
    const bytes = Uint8Array.from(packed, (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }

  async function showStory(key, again = false) {
    const unfolded = again ? [...$("story-body").querySelectorAll("details")].map((d) => d.open) : [];
    let html;
    try { html = await storyOf(key); }
    catch (error) { $("story-body").replaceChildren(make("p", `The story cannot be shown: ${error.message}`, "problem")); return; }
    if (open !== key) return;
    $("story-body").innerHTML = html;
    [...$("story-body").querySelectorAll("details")].forEach((d, at) => { if (unfolded[at]) d.open = true; });
    for (const turn of $("story-body").querySelectorAll("[data-turn]")) {
      const link = make("a", "#", "link");
      link.href = `#${encodeURIComponent(key)}/${turn.dataset.turn}`;
      link.setAttribute("aria-label", `Link to turn ${turn.dataset.turn}`);
      turn.querySelector("h3").append(link);
    }
    unpack($("story-body"));
    light();
  }

  function showTurn(number) {
    const turn = number && $("story-body").querySelector(`[data-turn="${CSS.escape(number)}"]`);
    if (!turn) return false;
    for (let fold = turn.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    turn.scrollIntoView();
    return true;
  }

  async function follow() {
    const [key, turn] = addressed();
    const row = rowOf.get(key);
    const was = open;
    if (row && was === key && showTurn(turn)) return;
    open = row ? key : null;
    document.body.classList.toggle("story-open", Boolean(row));
    $("story").hidden = !row;
    if (!row) {
      $("story-body").replaceChildren();
      const part = key && $(key);
      if (part) {
        for (let fold = part.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
        part.scrollIntoView();
      }
      else if (was !== null) goTo(rowOf.get(was));
      return;
    }
    goTo(row, false);
    $("story-body").replaceChildren();
    await showStory(key);
    if (open === key && showTurn(turn)) return;
    $("story").focus({ preventScroll: true });
    if (was === null || scrollY > $("story").offsetTop) $("story").scrollIntoView({ block: "start" });
    row.scrollIntoView({ block: "nearest" });
  }

  function close() { if (open !== null) { history.pushState(null, "", location.pathname + location.search); follow(); } }

  function unfold() {
    const all = [...$("story-body").querySelectorAll("details")];
    const opening = all.some((d) => !d.open);
    for (const d of all) d.open = opening;
    $("unfold").textContent = opening ? "Fold all" : "Unfold all";
    unpack($("story-body"));
  }

  $("close").addEventListener("click", close);
  $("unfold").addEventListener("click", unfold);
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  addEventListener("hashchange", follow);

  const keys = {
    "/": () => { $("find").focus(); $("find").select(); },
    j: () => step(1),
    k: () => step(-1),
    f: () => step(1, (task) => task.flags.includes(hunted)),
    e: () => { if (open !== null) unfold(); },
    Escape: close,
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, select, textarea");
    if (typing) {
      if (event.key !== "Escape") return;
      if (typing.value && typing.id === "find") { typing.value = ""; sift(); }
      else typing.blur();
      event.preventDefault();
      return;
    }
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // --- live ---------------------------------------------------------------------------------
  // The page as it is now: its head, and every row that is another one, take the place of the old.
  function take(fresh) {
    const tasks = JSON.parse(fresh.getElementById("page").textContent).tasks, before = new Map(taskOf);
    $("head").replaceChildren(...fresh.getElementById("head").childNodes);
    for (const row of [...fresh.getElementById("tasks").tBodies[0].rows]) {
      const key = row.dataset.key, old = rowOf.get(key);
      if (old && old.made === row.outerHTML) continue;
      row.made = row.outerHTML;
      if (old) old.replaceWith(row);
      else body.append(row);
      rowOf.set(key, row);
      row.classList.toggle("here", key === here);
    }
    placeOf.clear();
    tasks.forEach((task, at) => { placeOf.set(task.key, at); taskOf.set(task.key, task); });
    for (const button of filters) {
      const mark = button.querySelector("b");
      if (mark) mark.textContent = tasks.filter((task) => task.flags.includes(button.dataset.filter)).length;
    }
    sort();
    sift();
    if (open !== null && JSON.stringify(before.get(open)) !== JSON.stringify(taskOf.get(open))) showStory(open, true);
  }

  let tag = "";
  async function poll() {
    let wait = 1000;
    try {
      const answer = await fetch(location.pathname, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 200) {
        tag = answer.headers.get("ETag") ?? "";
        take(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
      else if (answer.status !== 304) throw new Error(String(answer.status));
      $("live").textContent = "live";
    } catch {
      $("live").textContent = "not connected";
      wait = 3000;
    }
    setTimeout(poll, document.hidden ? 5000 : wait);
  }

  pressFilter();
  if (sorting) sort();
  sift();
  follow();
  if (page.live) poll();
})();
