"use strict";
// The list of runs: finding, filtering by state, sorting, picking two. What the server sends anew is arranged as before.
(() => {
  const $ = (id) => document.getElementById(id);
  const list = $("list");
  if (!$("runs")) return;
  const { asked, make } = Shown;
  let state = asked.get("state") ?? "", sorting = Shown.sortingOf();
  $("find").value = asked.get("find") ?? "";

  const rows = () => [...$("runs").tBodies[0].rows];
  const valueOf = (row, name) => JSON.parse(row.dataset.sort)[name];

  function sift() {
    const words = $("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const every = rows(), counts = new Map();
    let count = 0;
    for (const row of every) {
      const text = row.textContent.toLowerCase();
      counts.set(row.dataset.state, (counts.get(row.dataset.state) ?? 0) + 1);
      row.hidden = Boolean(state && row.dataset.state !== state) || !words.every((word) => text.includes(word));
      count += !row.hidden;
    }
    const said = `${every.length} ${every.length === 1 ? "run" : "runs"}`;
    $("count").textContent = count === every.length ? said : `${count} of ${said}`;
    chips(counts);
    trend();
    Shown.remember({ find: $("find").value, state, sort: Shown.sortingText(sorting) });
  }

  // --- score, cost and tokens over time -----------------------------------------------------
  const drawn = (name, values) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(values)) node.setAttribute(key, value);
    return node;
  };
  const FIGURES = { score: ["Score", (x) => x.toFixed(3), 1], dollars: ["Dollars", (x) => `$${x.toPrecision(3)}`], tokens: ["Tokens", (x) => x.toLocaleString("en")] };

  // A point for each run that is shown and tells the figure, the oldest one on the left.
  function chart(name, [title, text, top], runs) {
    const known = runs.filter((run) => run[name] !== null), most = top ?? (Math.max(...known.map((run) => run[name])) || 1);
    const svg = drawn("svg", { viewBox: "0 0 300 70", preserveAspectRatio: "none" });
    const at = (run, n) => [known.length > 1 ? 6 + (288 * n) / (known.length - 1) : 150, 64 - (58 * run[name]) / most];
    svg.append(drawn("polyline", { points: known.map((run, n) => at(run, n).join()).join(" ") }));
    for (const [n, run] of known.entries()) {
      const [x, y] = at(run, n), point = drawn("path", { d: `M${x} ${y}h0` }), hint = drawn("title", {});
      hint.textContent = `${run.name}: ${text(run[name])}`;
      point.append(hint);
      point.addEventListener("click", () => { location.href = `/runs/${encodeURIComponent(run.run)}/`; });
      svg.append(point);
    }
    const figure = make("figure"), caption = make("figcaption", title), plot = make("div", undefined, "plot");
    if (known.length) caption.append(" ", make("b", text(known.at(-1)[name])), make("small", ` latest of ${known.length}`));
    plot.append(make("small", text(most), "most"), make("small", text(0), "least"), svg);
    const days = [known[0], known.at(-1)].map((run) => (run?.started ?? "").slice(0, 10));
    const under = make("small", undefined, "days");
    under.append(make("span", days[0]), make("span", days[1]));
    figure.append(caption, plot, under);
    return figure;
  }

  // Figures of two benchmarks are not alike: the charts show one, that of the newest run at first.
  let charted = null;
  function trend() {
    const runs = rows().filter((row) => !row.hidden && row.dataset.fork === undefined)
      .map((row) => ({ name: row.querySelector("th a").textContent, ...JSON.parse(row.dataset.sort) }))
      .filter((run) => run.score !== null).sort((a, b) => Shown.order(a.run, b.run, true));
    const names = [...new Set(runs.map((run) => run.benchmark))];
    if (!names.includes(charted)) charted = runs.at(-1)?.benchmark ?? null;
    const some = runs.filter((run) => run.benchmark === charted);
    $("trend").hidden = some.length < 2 && names.length < 2;
    if ($("trend").hidden) return;
    const choice = make("span", undefined, "chips");
    for (const name of names.length > 1 ? names.sort() : []) {
      const button = make("button", name);
      button.type = "button";
      button.setAttribute("aria-pressed", String(name === charted));
      button.addEventListener("click", () => { charted = name; trend(); });
      choice.append(button);
    }
    $("trend").replaceChildren(choice, ...Object.entries(FIGURES).map(([name, figure]) => chart(name, figure, some)));
  }

  function chips(counts) {
    const wanted = ["", ...[...counts.keys()].sort()];
    const before = [...$("states").children];
    if (before.map((b) => b.dataset.state).join("|") !== wanted.join("|")) {
      const focused = document.activeElement?.dataset?.state;
      $("states").replaceChildren(...wanted.map((name) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.state = name;
        button.addEventListener("click", () => { state = name; sift(); });
        return button;
      }));
      if (focused !== undefined) [...$("states").children].find((b) => b.dataset.state === focused)?.focus();
    }
    for (const button of $("states").children) {
      const name = button.dataset.state;
      button.textContent = name ? `${name} ${counts.get(name)}` : "all";
      button.setAttribute("aria-pressed", String(name === state));
    }
  }

  function sort() {
    const [name, up] = sorting ?? ["run", false];
    const ordered = rows().sort((a, b) => Shown.order(valueOf(a, name), valueOf(b, name), up));
    $("runs").tBodies[0].append(...ordered);
    Shown.markSorted($("runs"), sorting);
    $("order").value = sorting?.[0] ?? "";
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest("thead [data-sort]");
    if (!button) return;
    const name = button.dataset.sort;
    const firstUp = typeof valueOf(rows()[0], name) === "string" && name !== "run";
    sorting = Shown.nextSorting(sorting, name, firstUp);
    arrange();
  });
  $("order")?.addEventListener("change", () => {
    const name = $("order").value;
    sorting = name ? [name, name === "state" || name === "models" || name === "place"] : null;
    arrange();
  });
  $("find").addEventListener("input", sift);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    if (event.key === "/") { event.preventDefault(); $("find").focus(); }
  });

  Shown.offerFiles(() => rows().filter((row) => !row.hidden).map((row) => JSON.parse(row.dataset.sort)));

  // --- two runs to compare ------------------------------------------------------------------
  const ticked = new Set();
  function pick() {
    const boxes = [...list.querySelectorAll("[name=run]")];
    for (const box of boxes) box.checked = ticked.has(box.value);
    const count = boxes.filter((box) => box.checked).length;
    if (!$("pick")) return;
    $("compare").disabled = count !== 2;
    $("picked").textContent = ["Tick two runs.", "Tick one more.", ""][count] ?? "Tick no more than two.";
  }
  list.addEventListener("change", (event) => {
    if (event.target.checked) ticked.add(event.target.value);
    else ticked.delete(event.target.value);
    pick();
  });

  const arrange = () => { sort(); sift(); pick(); };
  const watched = new MutationObserver(() => {
    watched.disconnect();
    if ($("runs")) arrange();
    watched.observe(list, { childList: true });
  });
  arrange();
  watched.observe(list, { childList: true });
})();
