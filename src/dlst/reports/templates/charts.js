// Charts are drawn when they come near the window, and plotly itself starts with the first of them.
const NARROW = 600;

// A phone has no room for a second line beneath the axis: it would turn all labels on their side.
function dropSecondLine(axis) {
  if (!axis || !axis.ticktext) return;
  axis.ticktext = axis.ticktext.map((text) => text.split("<br>")[0]);
  if (axis.title && axis.title.text) axis.title.text = axis.title.text.split(" (")[0];
}

function startCharts() {
  const figures = Array.from(document.querySelectorAll("figure.chart"));
  if (!figures.length) return;
  const themes = JSON.parse(document.getElementById("themes").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const coarse = matchMedia("(pointer: coarse)");
  const plots = (figure) => figure.querySelector(".plot");
  const isDrawn = (figure) => figure.dataset.drawn === "yes";
  const theme = () => (dark.matches ? themes.dark : themes.light);

  function startPlotly() {
    if (window.Plotly) return;
    const script = document.createElement("script");
    script.textContent = document.getElementById("plotly").textContent;
    document.head.append(script);
  }

  function draw(figure) {
    if (isDrawn(figure)) return;
    figure.dataset.drawn = "yes";
    watch.unobserve(figure);
    startPlotly();
    const { data, layout } = JSON.parse(figure.querySelector(".figure-data").textContent);
    layout.template = theme();
    if (plots(figure).clientWidth < NARROW) dropSecondLine(layout.xaxis);
    // Where a finger scrolls the page it must not draw a zoom box.
    layout.dragmode = coarse.matches ? false : "zoom";
    window.Plotly.newPlot(plots(figure), data, layout, {
      responsive: true,
      displaylogo: false,
      displayModeBar: coarse.matches ? false : "hover",
      modeBarButtons: [["toImage", "resetScale2d"]],
      toImageButtonOptions: { filename: figure.id, format: "svg" },
    });
  }

  function recolour(template) {
    figures.filter(isDrawn).forEach((figure) => window.Plotly.relayout(plots(figure), { template }));
  }

  const watch = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)),
    { rootMargin: "400px 0px" },
  );
  figures.forEach((figure) => watch.observe(figure));
  dark.addEventListener("change", () => recolour(theme()));
  window.addEventListener("beforeprint", () => { figures.forEach(draw); recolour(themes.light); });
  window.addEventListener("afterprint", () => recolour(theme()));
}
