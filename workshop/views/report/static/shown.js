"use strict";
// Texts as they may be shown, and JSON as small tables; everything is set as text.
const Shown = (() => {
  const STEERING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
  const clean = (text) => text.replace(STEERING, (sign) => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));

  // --- JSON as small tables -----------------------------------------------------------------
  const MOST_ROWS = 300;
  const make = (tag, text, kind) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = clean(text);
    if (kind) node.className = kind;
    return node;
  };
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isScalar = (value) => value === null || typeof value !== "object";
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const scalar = (value, was, compared) =>
    make("span", typeof value === "string" ? (value === "" ? '""' : value) : String(value),
         compared && !same(value, was) ? "val changed" : "val");

  function shown(value, was, compared, depth = 0) {
    if (isScalar(value)) return scalar(value, was, compared);
    if (depth > 8) return make("span", JSON.stringify(value), "val");
    const before = (key) => (was === null || typeof was !== "object" ? undefined : was[key]);
    if (Array.isArray(value)) {
      if (!value.length) return scalar("none", compared && same(was, []) ? "none" : undefined, compared);
      if (value.every(isScalar)) return scalar(value.map(String).join(", "), Array.isArray(was) ? was.map(String).join(", ") : was, compared);
      if (value.every((item) => isObject(item) && Object.values(item).every(isScalar))) return grid(value, before, compared);
      return lines(value.map((item, at) => [String(at + 1), item]), (key) => before(key - 1), compared, depth);
    }
    const keys = Object.keys(value);
    return keys.length ? lines(keys.map((key) => [key, value[key]]), before, compared, depth) : scalar("{}", was, false);
  }

  function lines(pairs, before, compared, depth) {
    const table = make("table");
    for (const [key, item] of pairs.slice(0, MOST_ROWS)) {
      const row = table.insertRow();
      const head = make("th", key);
      head.scope = "row";
      row.append(head);
      row.insertCell().append(shown(item, before(key), compared, depth + 1));
    }
    return more(table, pairs.length);
  }

  function grid(items, before, compared) {
    const columns = [...new Set(items.flatMap(Object.keys))];
    const table = make("table");
    const top = table.createTHead().insertRow();
    for (const name of columns) { const head = make("th", name); head.scope = "col"; top.append(head); }
    const body = table.createTBody();
    items.slice(0, MOST_ROWS).forEach((item, at) => {
      const row = body.insertRow();
      for (const name of columns) {
        const cell = row.insertCell();
        if (name in item) cell.append(scalar(item[name], before(at)?.[name], compared));
      }
    });
    return more(table, items.length);
  }

  function more(table, count) {
    if (count > MOST_ROWS) table.insertRow().insertCell().append(`… and ${count - MOST_ROWS} more`);
    return table;
  }

  function read(text) { try { return JSON.parse(text); } catch { return undefined; } }

  // --- what can be copied -------------------------------------------------------------------
  const COPIED = "pre.text, pre.instruction, .code, .json, [data-copy]";
  const plainCode = (node) => [...node.querySelectorAll(".ln")].map((line) => line.textContent.slice(line.firstChild.textContent.length)).join("");

  function offerCopy(node) {
    const text = node.classList.contains("code") ? plainCode(node) : node.textContent;
    const button = make("button", "Copy", node.dataset.copy ? "copy" : "copy beside");
    const kind = ["code", "instruction"].find((name) => node.classList.contains(name));
    const what = node.dataset.copy ?? kind ?? node.previousElementSibling?.textContent ?? node.parentElement.querySelector("summary")?.textContent ?? "text";
    button.type = "button";
    button.setAttribute("aria-label", `Copy: ${what.trim().slice(0, 80)}`);
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(node);
      try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; }
      catch { button.textContent = document.execCommand("copy") ? "Copied" : "Selected"; }
    });
    node.before(button);
  }

  // JSON becomes a table, and a text gets its button, when it is first seen: what stays folded costs nothing.
  function unpack(area) {
    for (const node of area.querySelectorAll(`:is(${COPIED}):not([data-copies])`)) {
      if (node.closest("details:not([open])") || !node.textContent) continue;
      node.dataset.copies = "";
      offerCopy(node);
    }
    for (const node of area.querySelectorAll(".json:not([data-shown])")) {
      if (node.closest("details:not([open])")) continue;
      node.dataset.shown = "";
      node.tabIndex = 0;
      node.setAttribute("role", "group");
      node.setAttribute("aria-label", "Data");
      const value = read(node.textContent);
      if (value === undefined) continue;
      const pair = node.classList.contains("after") && node.closest(".states").querySelector(".state:not(.after)");
      const was = pair ? (pair.was ?? read(pair.textContent)) : undefined;
      node.was = value;
      node.replaceChildren(shown(value, was, Boolean(pair)));
    }
  }

  // --- what is looked for, in the address ---------------------------------------------------
  const asked = new URLSearchParams(location.search);
  function remember(values) {
    for (const [name, value] of Object.entries(values)) {
      if (value) asked.set(name, value);
      else asked.delete(name);
    }
    history.replaceState(null, "", `${location.pathname}${asked.size ? `?${asked}` : ""}${location.hash}`);
  }
  const sortingOf = () => { const text = asked.get("sort"); return text ? [text.replace(/^-/, ""), !text.startsWith("-")] : null; };
  const sortingText = (sorting) => sorting && `${sorting[1] ? "" : "-"}${sorting[0]}`;

  // The order of two values; one that is not known comes last, whichever way is up.
  function order(one, other, up) {
    if (one === null || other === null) return (one === null) - (other === null);
    const by = typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other;
    return up ? by : -by;
  }
  const nextSorting = (sorting, name, firstUp) =>
    sorting?.[0] !== name ? [name, firstUp] : sorting[1] === firstUp ? [name, !firstUp] : null;
  function markSorted(table, sorting) {
    for (const head of table.tHead.rows[0].cells) {
      if (sorting && head.querySelector("button").dataset.sort === sorting[0]) head.setAttribute("aria-sort", sorting[1] ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  }

  // --- files to keep ------------------------------------------------------------------------
  // A text that a spreadsheet would take for a formula begins with an apostrophe.
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : Array.isArray(value) ? value.join(", ") : String(value);
    return `"${(typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`;
  };
  function save(kind, records) {
    const names = [...new Set(records.flatMap(Object.keys))];
    const lines = [names.map(cell).join(","), ...records.map((one) => names.map((name) => cell(one[name])).join(","))];
    const text = kind === "json" ? JSON.stringify(records, null, 1) : lines.join("\r\n");
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: kind === "json" ? "application/json" : "text/csv" }));
    link.download = `${document.title.replace(/[^\w.-]+/g, "-")}.${kind}`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
  function offerFiles(records) {
    for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => save(button.dataset.save, records()));
  }

  return { asked, clean, make, markSorted, nextSorting, offerFiles, order, remember, sortingOf, sortingText, unpack };
})();
