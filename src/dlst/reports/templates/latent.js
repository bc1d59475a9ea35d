// One latent map: points to look at, a label to colour by, an instance to pin with its reasons.
// Returns what shows an instance, for those that stand beneath the map.
function startLatentMap(root) {
  const data = JSON.parse(root.querySelector(".map-data").textContent);
  const find = (selector) => root.querySelector(selector);
  const svg = find(".latent");
  const shapes = {
    right: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
    missed: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
    wrong: "M-4-4L4 4M-4 4L4-4",
    other: "M-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0",
  };
  const symbols = { right: "✓", missed: "○", wrong: "✗", other: "–" };
  const words = { right: "right", missed: "missed", wrong: "wrong", other: "not given" };
  const margin = 26;
  const tagHeight = 22;
  let label = data.order[0];
  let current = -1;
  let pinned = -1;
  let size = [0, 0];
  let places = { test: [], train: [], centres: [] };

  function make(tag, attributes = {}, ...children) {
    const space = ["g", "path", "line", "rect", "text", "circle"].includes(tag)
      ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const element = document.createElementNS(space, tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  }

  const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
  const named = (labels) => labels.map((each) => data.label_names[each]).join(", ") || "none";
  const at = ([x, y]) => "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ")";

  function outcome(instance, of) {
    const has = instance.truth.includes(of);
    const found = instance.found.includes(of);
    return has && found ? "right" : has ? "missed" : found ? "wrong" : "other";
  }

  // ---- The sheet: one scale for both axes, in the pixels that the window gives.

  function layOut() {
    const everything = [...data.test, ...data.train];
    const range = (key) => [Math.min(...everything.map((p) => p[key])), Math.max(...everything.map((p) => p[key]))];
    const [left, right] = range("x");
    const [low, high] = range("y");
    const width = Math.max(280, svg.clientWidth);
    const tallest = Math.min(720, 1.15 * width);
    const scale = Math.min(
      (width - 2 * margin) / Math.max(right - left, 1e-9),
      (tallest - 2 * margin) / Math.max(high - low, 1e-9));
    const height = Math.max(280, (high - low) * scale + 2 * margin);
    size = [width, height];
    svg.setAttribute("viewBox", "0 0 " + width + " " + height.toFixed(0));
    const within = (value, end) => Math.min(Math.max(value, 4), end - 4);
    const place = (p) => [
      within(width / 2 + (p.x - (left + right) / 2) * scale, width),
      within(height / 2 - (p.y - (low + high) / 2) * scale, height),
    ];
    places = { test: data.test.map(place), train: data.train.map(place), centres: data.centres.map(place) };
  }

  function drawPoints() {
    find(".points").replaceChildren(...data.test.map((_, index) =>
      make("g", { transform: at(places.test[index]), "data-index": index }, make("path"))));
    const dots = find(".show-train").checked ? places.train : [];
    find(".train").replaceChildren(...dots.map(([x, y]) => make("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 1.8 })));
  }

  // Names of the commonest labels and of the chosen one, pushed off each other the shorter way.
  // The chosen one's stays when the others are put away.
  function drawTags() {
    const most = find(".show-tags").checked ? (size[0] < 500 ? 6 : 12) : 0;
    const wanted = new Set([label, ...data.order.slice(0, most)]);
    const layer = find(".tags");
    layer.replaceChildren();
    const tags = [];
    data.centres.forEach((centre, index) => {
      if (!wanted.has(centre.label)) return;
      const full = data.label_names[centre.label];
      const name = full.length > 22 ? full.slice(0, 21) + "…" : full;
      const chosen = centre.label === label;
      const text = make("text", { dy: ".35em" }, name);
      const group = make("g", { class: chosen ? "tag chosen" : "tag", "data-label": centre.label }, text);
      layer.append(group);
      const width = text.getComputedTextLength() + 14;
      tags.push({ group, text, width, chosen, from: places.centres[index], to: [...places.centres[index]] });
    });
    separate(tags);
    tags.forEach(({ group, text, width, from, to }) => {
      text.setAttribute("x", to[0].toFixed(1));
      text.setAttribute("y", to[1].toFixed(1));
      group.prepend(
        make("line", { x1: from[0].toFixed(1), y1: from[1].toFixed(1), x2: to[0].toFixed(1), y2: to[1].toFixed(1) }),
        make("rect", { x: (to[0] - width / 2).toFixed(1), y: (to[1] - tagHeight / 2).toFixed(1), width: width.toFixed(1), height: tagHeight, rx: 6 }));
    });
    tags.filter((tag) => tag.chosen).forEach((tag) => layer.append(tag.group));
  }

  function separate(tags) {
    for (let round = 0, moved = true; moved && round < 200; round += 1) {
      moved = false;
      tags.forEach((one, i) => tags.slice(0, i).forEach((two) => {
        const room = [(one.width + two.width) / 2 + 3, tagHeight + 3];
        const gap = [one.to[0] - two.to[0], one.to[1] - two.to[1]];
        const overlap = room.map((space, axis) => space - Math.abs(gap[axis]));
        if (overlap[0] <= 0 || overlap[1] <= 0) return;
        const axis = overlap[0] < overlap[1] ? 0 : 1;
        const step = overlap[axis] / 2 * (gap[axis] >= 0 ? 1 : -1);
        one.to[axis] += step;
        two.to[axis] -= step;
        moved = true;
      }));
      tags.forEach(({ to, width }) => {
        to[0] = Math.min(Math.max(to[0], width / 2 + 1), size[0] - width / 2 - 1);
        to[1] = Math.min(Math.max(to[1], tagHeight / 2 + 1), size[1] - tagHeight / 2 - 1);
      });
    }
  }

  function colour() {
    const count = { right: 0, missed: 0, wrong: 0, other: 0 };
    const above = [];
    const layer = find(".points");
    Array.from(layer.children).forEach((mark) => {
      const kind = outcome(data.test[mark.dataset.index], label);
      count[kind] += 1;
      mark.firstElementChild.setAttribute("class", kind);
      mark.firstElementChild.setAttribute("d", shapes[kind]);
      if (kind !== "other") above.push(mark);
    });
    layer.append(...above);
    Object.keys(count).forEach((kind) => { find(".n-" + kind).textContent = count[kind]; });
  }

  function drawAll() {
    layOut();
    drawPoints();
    drawTags();
    colour();
    moveRing(".cursor", current);
    moveRing(".pin", pinned);
    drawVoters();
  }

  function choose(next) {
    label = next;
    drawTags();
    colour();
  }

  // ---- Looking at an instance, and pinning it.

  function moveRing(selector, index) {
    const ring = find(selector);
    ring.toggleAttribute("hidden", index < 0);
    if (index >= 0) ring.setAttribute("transform", at(places.test[index]));
    root.classList.toggle("same", pinned >= 0 && pinned === current);
  }

  function picture(element, sheet, index, widest) {
    if (!sheet) return element;
    const { columns, width, height, count, sprite } = sheet;
    const zoom = Math.max(1, Math.floor(widest / width));
    const rows = Math.ceil(count / columns);
    element.hidden = false;
    element.style.width = width * zoom + "px";
    element.style.height = height * zoom + "px";
    element.style.backgroundImage = 'url("' + sprite + '")';
    element.style.backgroundSize = columns * width * zoom + "px " + rows * height * zoom + "px";
    element.style.backgroundPosition =
      -(index % columns) * width * zoom + "px " + -Math.floor(index / columns) * height * zoom + "px";
    return element;
  }

  function chips(instance) {
    const labels = Array.from(new Set([...instance.truth, ...instance.found])).sort((a, b) => a - b);
    return make("ul", { class: "chips" }, ...labels.map((each) => {
      const kind = outcome(instance, each);
      return make("li", { class: "chip " + kind },
        make("span", { "aria-hidden": "true" }, symbols[kind]), " " + data.label_names[each] + " ",
        make("span", { class: "unseen" }, words[kind]));
    }));
  }

  function summary(instance) {
    const pair = (title, labels) => make("div", {}, make("dt", {}, title), make("dd", {}, named(labels)));
    return [make("dl", { class: "pairs" }, pair("true", instance.truth), pair("found", instance.found)), chips(instance)];
  }

  function look(index) {
    if (index === current) return;
    current = index;
    moveRing(".cursor", index);
    const instance = data.test[index];
    picture(find(".peek-image"), data.images, index, 240);
    find(".peek-text").replaceChildren(
      make("p", { class: "peek-title" }, "Test instance " + instance.row), ...summary(instance));
  }

  function drawVoters() {
    const voters = pinned < 0 ? [] : data.test[pinned].neighbours;
    const heaviest = Math.max(1e-9, ...voters.map((voter) => voter.weight));
    const from = pinned < 0 ? [0, 0] : places.test[pinned];
    find(".lines").replaceChildren(...voters.map((voter, rank) => {
      const [x, y] = places.train[voter.train];
      const share = voter.weight / heaviest;
      return make("line", { x1: from[0].toFixed(1), y1: from[1].toFixed(1), x2: x.toFixed(1), y2: y.toFixed(1),
        "stroke-width": (1 + 2 * share).toFixed(2), "data-rank": rank });
    }));
    find(".voters").replaceChildren(...voters.map((voter, rank) =>
      make("rect", { x: -4.5, y: -4.5, width: 9, height: 9, rx: 1.5,
        transform: at(places.train[voter.train]), "data-rank": rank, "data-train": voter.train })));
    svg.classList.toggle("has-pin", pinned >= 0);
  }

  function pin(index) {
    pinned = index;
    moveRing(".pin", index);
    drawVoters();
    const panel = find(".pinned");
    panel.hidden = index < 0;
    panel.replaceChildren();
    if (index < 0) return;
    const instance = data.test[index];
    const close = make("button", { type: "button", class: "quiet unpin" }, "Let go");
    close.addEventListener("click", () => { pin(-1); svg.focus({ preventScroll: true }); });
    panel.append(make("div", { class: "pinned-head" }, make("h4", {}, "Test instance " + instance.row), close), explanation(index));
  }

  // Of labels that are neither true nor found a pinned instance shows some, a card none.
  function explanation(index, concernedOnly = false) {
    const instance = data.test[index];
    const shown = instance.reasons.filter((reason) => !concernedOnly || outcome(instance, reason.label) !== "other");
    const image = make("div", { class: "picture peek-image", hidden: "" });
    return make("div", { class: "pinned-grid" },
      make("div", { class: "what" }, picture(image, data.images, index, 216), ...summary(instance)),
      ...(instance.neighbours.length
        ? [make("div", { class: "who" }, make("h5", {}, "Nearest in code space"), neighbours(instance))] : []),
      make("div", { class: "why" }, make("h5", {}, "Why: the terms of each label add up to its logit"),
        shown.length ? reasons(instance, shown) : make("p", {}, "No label is true, and none was found.")));
  }

  function neighbours(instance) {
    const heaviest = Math.max(1e-9, ...instance.neighbours.map((voter) => voter.weight));
    const heads = ["training row", "labels", "weight", "distance"].map((title) => make("th", { scope: "col" }, title));
    const rows = instance.neighbours.map((voter, rank) => {
      const train = data.train[voter.train];
      const labels = train.labels.flatMap((each, place) => [
        place ? ", " : "",
        instance.truth.includes(each)
          ? make("b", {}, data.label_names[each]) : make("span", { class: "not-here" }, data.label_names[each])]);
      const bar = make("span", { class: "weight-bar" });
      bar.style.width = (100 * voter.weight / heaviest).toFixed(1) + "%";
      const face = data.train_images
        ? [picture(make("div", { class: "picture peek-image" }), data.train_images, voter.train, 72)] : [];
      const row = make("tr", { "data-rank": rank },
        make("th", { scope: "row" }, make("span", { class: "face" }, ...face, String(train.row))), make("td", {}, ...(labels.length ? labels : ["none"])),
        make("td", { class: "number" }, make("span", { class: "weight", "aria-hidden": "true" }, bar), voter.weight.toFixed(2)),
        make("td", { class: "number" }, voter.distance.toFixed(2)));
      const light = (on) => () => root.querySelectorAll('.lines [data-rank="' + rank + '"], .voters [data-rank="' + rank + '"]')
        .forEach((part) => part.classList.toggle("lit", on));
      row.addEventListener("pointerenter", light(true));
      row.addEventListener("pointerleave", light(false));
      return row;
    });
    const hint = data.n_voters > instance.neighbours.length
      ? [make("p", { class: "hint" }, "The " + instance.neighbours.length + " nearest of the " + data.n_voters + " that vote. Bold: a true label of the instance.")] : [];
    return make("div", {},
      make("table", { class: "neighbours" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)), ...hint);
  }

  function reasons(instance, shown) {
    const ends = [0, 1];
    shown.forEach((reason) => reason.terms.reduce((sum, term) => { ends.push(sum + term); return sum + term; }, 0));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    const room = 0.06 * (high - low);
    const place = (value) => 100 * (value - low + room) / (high - low + 2 * room);
    const placed = (kind, left, width) => {
      const element = make("span", { class: kind });
      element.style.left = left.toFixed(2) + "%";
      if (width !== undefined) element.style.width = width.toFixed(2) + "%";
      return element;
    };
    const line = (title, value, ...parts) => make("tr", {}, make("th", { scope: "row" }, title),
      make("td", { class: "track" }, placed("zero", place(0)), ...parts), make("td", { class: "number" }, signed(value)));
    const cards = shown.map((reason) => {
      const kind = outcome(instance, reason.label);
      let sum = 0;
      const lines = reason.terms.map((term, i) => {
        const start = sum;
        sum += term;
        const left = place(Math.min(start, sum));
        return line(data.terms[i], term, placed(term < 0 ? "bar down" : "bar up", left, place(Math.max(start, sum)) - left));
      });
      return make("table", { class: "reason " + kind, "data-label": reason.label },
        make("caption", {}, make("b", {}, data.label_names[reason.label]), " ",
          make("span", { class: "outcome" }, make("span", { "aria-hidden": "true" }, symbols[kind]), " " + words[kind]), " ",
          make("span", { class: "probability" }, (100 * reason.probability).toFixed(0) + " %")),
        make("tbody", {}, ...lines),
        make("tfoot", {}, line("logit", reason.logit, placed("mark", place(reason.logit)))));
    });
    return make("div", { class: "reasons" }, ...cards);
  }

  // ---- Pointer, keys and the choice of a label.

  function nearest(event) {
    const box = svg.getBoundingClientRect();
    const scale = size[0] / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = -1;
    let closest = 22 * 22;
    places.test.forEach(([px, py], index) => {
      const distance = (px - x) * (px - x) + (py - y) * (py - y);
      if (distance < closest) { closest = distance; best = index; }
    });
    return best;
  }

  function step(dx, dy) {
    if (current < 0) return look(0);
    const [x, y] = places.test[current];
    let best = -1;
    let least = Infinity;
    places.test.forEach(([px, py], index) => {
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 0 && along + 2 * aside < least) { least = along + 2 * aside; best = index; }
    });
    if (best >= 0) look(best);
  }

  function chooseInControls(next) {
    const radio = find('.colour-by input[value="' + next + '"]');
    if (radio) {
      radio.checked = true;
    } else {
      const search = find(".label-search");
      search.value = "";
      offer("");
      find(".colour-by select").value = String(next);
    }
    choose(next);
  }

  function offer(text) {
    const select = find(".colour-by select");
    const wanted = text.trim().toLowerCase();
    const labels = data.order.filter((each) => data.label_names[each].toLowerCase().includes(wanted));
    select.replaceChildren(...labels.map((each) =>
      make("option", { value: each }, data.label_names[each] + " (" + data.counts[each] + ")")));
    if (labels.includes(label)) select.value = String(label);
    return labels;
  }

  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    if (event.key in directions) step(...directions[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && current >= 0) pin(current);
    else if (event.key === "Escape" && pinned >= 0) pin(-1);
    else return;
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => { const index = nearest(event); if (index >= 0) look(index); });
  svg.addEventListener("click", (event) => {
    const tag = event.target.closest(".tag");
    if (tag) return chooseInControls(Number(tag.dataset.label));
    const index = nearest(event);
    if (index < 0) return;
    look(index);
    pin(index === pinned ? -1 : index);
  });
  find(".colour-by").addEventListener("change", (event) => {
    if (event.target.matches(".label-search") || event.target.value === "") return;
    choose(Number(event.target.value));
  });
  const search = find(".label-search");
  if (search) {
    search.addEventListener("input", () => offer(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const labels = offer(search.value);
      if (labels.length) chooseInControls(labels[0]);
    });
  }
  find(".show-tags").addEventListener("change", drawTags);
  find(".show-train").addEventListener("change", () => { drawPoints(); colour(); });

  let laidOutFor = 0;
  new ResizeObserver(() => {
    if (svg.clientWidth === laidOutFor) return;
    laidOutFor = svg.clientWidth;
    drawAll();
  }).observe(svg);

  return { explanation, row: (index) => data.test[index].row };
}
