(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  const shapes = {
    right: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
    missed: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
    wrong: "M-4-4L4 4M-4 4L4-4",
    other: "M-2.2 0a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0",
  };
  const svg = byId("latent");
  const layer = byId("points");
  const marks = Array.from(layer.children);
  const places = marks.map((mark) => mark.getAttribute("transform").match(/[-\d.]+/g).map(Number));
  let current = -1;

  function outcome(row, label) {
    const has = data.truth[row].includes(label);
    const found = data.found[row].includes(label);
    return has && found ? "right" : has ? "missed" : found ? "wrong" : "other";
  }

  function colourBy(label) {
    const count = { right: 0, missed: 0, wrong: 0, other: 0 };
    const above = [];
    marks.forEach((mark, row) => {
      const kind = outcome(row, label);
      const path = mark.firstElementChild;
      count[kind] += 1;
      path.setAttribute("class", kind);
      path.setAttribute("d", shapes[kind]);
      if (kind !== "other") above.push(mark);
    });
    above.forEach((mark) => layer.append(mark));
    Object.keys(count).forEach((kind) => { byId("n-" + kind).textContent = count[kind]; });
    document.querySelectorAll(".tag").forEach((tag) => {
      tag.classList.toggle("chosen", Number(tag.dataset.label) === label);
    });
  }

  function names(labels) {
    return labels.length ? labels.map((label) => data.names[label]).join(" ") : "none";
  }

  function line(title, text) {
    const bold = document.createElement("b");
    bold.textContent = text;
    return [title + " ", bold];
  }

  function show(row) {
    if (row === current) return;
    current = row;
    const cursor = byId("cursor");
    cursor.setAttribute("cx", places[row][0]);
    cursor.setAttribute("cy", places[row][1]);
    const { columns, width, height } = data.sprite;
    const zoom = Math.max(1, Math.floor(240 / width));
    const rows = Math.ceil(marks.length / columns);
    const image = byId("peek-image");
    image.hidden = false;
    image.style.width = width * zoom + "px";
    image.style.height = height * zoom + "px";
    image.style.backgroundSize = columns * width * zoom + "px " + rows * height * zoom + "px";
    image.style.backgroundPosition =
      -(row % columns) * width * zoom + "px " + -Math.floor(row / columns) * height * zoom + "px";
    byId("peek-text").replaceChildren(
      "Test image " + row, document.createElement("br"),
      ...line("true", names(data.truth[row])), document.createElement("br"),
      ...line("found", names(data.found[row])));
  }

  function nearest(event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = -1;
    let closest = Math.pow(22 * Math.max(1, scale), 2);
    places.forEach(([px, py], row) => {
      const distance = (px - x) * (px - x) + (py - y) * (py - y);
      if (distance < closest) { closest = distance; best = row; }
    });
    return best;
  }

  function step(dx, dy) {
    if (current < 0) return show(0);
    const [x, y] = places[current];
    let best = -1;
    let least = Infinity;
    places.forEach(([px, py], row) => {
      const along = (px - x) * dx + (py - y) * dy;
      const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
      if (along > 0 && along + 2 * aside < least) { least = along + 2 * aside; best = row; }
    });
    if (best >= 0) show(best);
  }

  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    if (!(event.key in directions)) return;
    event.preventDefault();
    step(...directions[event.key]);
  });
  const point = (event) => { const row = nearest(event); if (row >= 0) show(row); };
  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("click", (event) => {
    const tag = event.target.closest(".tag");
    if (!tag) return;
    const choice = document.querySelector('#colour-by input[value="' + tag.dataset.label + '"]');
    choice.checked = true;
    colourBy(Number(choice.value));
  });
  byId("colour-by").addEventListener("change", (event) => colourBy(Number(event.target.value)));

  sortable(byId("score-table"));
  colourBy(Number(document.querySelector("#colour-by input:checked").value));
}());
