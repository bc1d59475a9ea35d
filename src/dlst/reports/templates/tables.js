"use strict";

// A column's title sorts the first body of its table; references, in the second, stay beneath.
function sortable(table) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);

  function compare(a, b, column, sign) {
    const [one, two] = [a.cells[column], b.cells[column]];
    const [x, y] = [one.dataset.value, two.dataset.value];
    if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
    // Both ways what has no number stands below what has one.
    if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
    return sign * one.textContent.trim().localeCompare(two.textContent.trim(), undefined, { numeric: true });
  }

  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const order = now === "none" ? button.dataset.first : now === "ascending" ? "descending" : "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const rows = Array.from(body.rows).sort((a, b) => compare(a, b, column, sign));
      body.append(...rows);
    });
  });
}
