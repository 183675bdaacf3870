"use strict";
// The list of runs: finding, filtering by state, sorting, picking two. What the server sends anew is arranged as before.
(() => {
  const $ = (id) => document.getElementById(id);
  const list = $("list");
  if (!$("runs")) return;
  let state = "", sorting = null;

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
    const ordered = rows().sort((a, b) => {
      const one = valueOf(a, name), other = valueOf(b, name);
      if (one === null || other === null) return (one === null) - (other === null);
      const order = typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other;
      return up ? order : -order;
    });
    $("runs").tBodies[0].append(...ordered);
    for (const head of $("runs").tHead.querySelectorAll("th")) {
      if (sorting && head.querySelector("button")?.dataset.sort === name) head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  }

  list.addEventListener("click", (event) => {
    const button = event.target.closest("thead [data-sort]");
    if (!button) return;
    const name = button.dataset.sort;
    const firstUp = typeof valueOf(rows()[0], name) === "string" && name !== "run";
    if (sorting?.[0] !== name) sorting = [name, firstUp];
    else sorting = sorting[1] === firstUp ? [name, !firstUp] : null;
    sort();
  });
  $("order")?.addEventListener("change", () => {
    const name = $("order").value;
    sorting = name ? [name, name === "state" || name === "models" || name === "place"] : null;
    sort();
  });
  $("find").addEventListener("input", sift);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    if (event.key === "/") { event.preventDefault(); $("find").focus(); }
  });

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
