(function () {
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const shown = (cell) => cell.querySelector(".shown").textContent.trim();

  function filterable(block) {
    const box = block.querySelector(".filter input");
    if (!box) return;
    const rows = Array.from(block.querySelector("table").tBodies[0].rows);
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => {
        const text = Array.from(row.cells, shown).join(" ").toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      });
      const left = rows.filter((row) => !row.hidden).length;
      block.querySelector(".filter-count").textContent = left + " of " + rows.length;
    });
  }

  function csv(table) {
    const quoted = (text) => (/[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
    return Array.from(table.rows)
      .filter((row) => !row.hidden)
      .map((row) => Array.from(row.cells, (cell) => quoted(shown(cell))).join(","))
      .join("\n");
  }

  // Browsers that keep the clipboard from local files get no button.
  function copies(button, text) {
    if (!button || !navigator.clipboard) return;
    button.hidden = false;
    const name = button.textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text());
        button.textContent = "Copied";
      } catch {
        button.textContent = "The browser refused";
      }
      setTimeout(() => { button.textContent = name; }, 1600);
    });
  }

  function startTips() {
    const tip = document.querySelector(".tip");
    const show = (event) => {
      const cell = event.target.closest("[data-note]");
      tip.hidden = !cell;
      if (!cell) return;
      tip.textContent = cell.dataset.note;
      const box = cell.getBoundingClientRect();
      const left = Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
      tip.style.left = Math.max(8, left) + "px";
      const above = box.top - tip.offsetHeight - 6;
      tip.style.top = (above > 8 ? above : box.bottom + 6) + "px";
    };
    document.addEventListener("pointerover", show);
    document.addEventListener("click", show);
    document.addEventListener("scroll", () => { tip.hidden = true; }, { capture: true, passive: true });
  }

  function startNavigation() {
    const links = new Map(all(".bar-nav a").map((link) => [link.getAttribute("href").slice(1), link]));
    const watch = new IntersectionObserver((entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
        links.forEach((link, name) => {
          if (name === entry.target.id) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
        });
      });
    }, { rootMargin: "-20% 0px -75% 0px" });
    all("main > section").forEach((section) => watch.observe(section));
  }

  all(".table-block").forEach((block) => {
    const table = block.querySelector("table");
    sortable(table);
    filterable(block);
    copies(block.querySelector(".copy-csv"), () => csv(table));
  });
  all(".code").forEach((block) => {
    copies(block.querySelector(".copy-code"), () => block.querySelector("code").textContent);
  });
  const maps = new Map(all(".latent-map").map((root) => [root.id, startLatentMap(root)]));
  all(".explained").forEach((block) => {
    const map = maps.get(block.dataset.map);
    JSON.parse(block.dataset.rows).forEach((index) => {
      const card = document.createElement("article");
      const title = document.createElement("h4");
      card.className = "pinned";
      title.textContent = "Test instance " + map.row(index);
      card.append(title, map.explanation(index, true));
      block.append(card);
    });
  });
  startCharts();
  startTips();
  startNavigation();
}());
