"use strict";

const profile = JSON.parse(document.getElementById("data").textContent);
const machine = profile.machine, kernels = profile.kernels, timeline = profile.timeline;
const byId = id => document.getElementById(id);

function element(name, parent, attributes = {}, text) {
  const made = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4))
                                       : document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  if (text !== undefined)
    made.textContent = text;
  parent.append(made);
  return made;
}

function scaled(value, unit) {
  const prefixes = ["", "k", "M", "G", "T"];
  let prefix = 0;
  for (; value >= 1000 && prefix < 4; ++prefix)
    value /= 1000;
  return `${Number(value.toPrecision(3))} ${prefixes[prefix]}${unit}`;
}

function duration(ns) {
  const units = ["ns", "us", "ms", "s"];
  let unit = 0;
  for (; ns >= 1000 && unit < 3; ++unit)
    ns /= 1000;
  return `${Number(ns.toPrecision(3))} ${units[unit]}`;
}

const percent = share => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const short = source => source.slice(source.lastIndexOf("/") + 1);

// One colour for each kind of kernel, in the order of the time that the kinds take.
const kinds = [...new Set(kernels.map(kernel => kernel.kind))];
const color = kind => kind === undefined ? "#8a8f99" : `hsl(${(210 + 137 * kinds.indexOf(kind)) % 360} 62% 52%)`;

//===- Summary ---------------------------------------------------------------===//

const programs = [...new Set(kernels.map(kernel => kernel.program).filter(name => name))];
byId("title").textContent = `Profile of ${programs.join(", ") || "nothing"}`;
document.title = `${programs.join(", ")} - tenon profile`;
byId("summary").textContent =
  `${profile.runs} ${profile.runs === 1 ? "run" : "runs"} in ${duration(profile.run_ns)}, ` +
  `${duration(profile.run_ns / Math.max(profile.runs, 1))} each; between kernels ${duration(profile.between_ns)}; ` +
  `${machine.threads} threads wait ${percent(profile.waiting)} of the time` +
  (profile.dropped_events ? `; ${profile.dropped_events} events were left out` : "");

//===- Roofline --------------------------------------------------------------===//

function drawRoofline() {
  const svg = byId("roofline"), left = 70, right = 980, top = 15, bottom = 415;
  const rates = machine.throughputs.map(entry => entry.all_threads);
  const roofs = machine.bandwidths.map(entry => entry.all_threads);
  if (!rates.length || !roofs.length)
    return;
  const moving = kernel => kernel.bytes_accessed > 0;
  const lowest = Math.min(0.05, ...kernels.filter(kernel => moving(kernel) && kernel.flops)
                                          .map(kernel => kernel.flops / kernel.bytes_accessed));
  const x0 = Math.log10(lowest) - 0.3;
  const x1 = Math.max(Math.log10(Math.max(...rates) / Math.min(...roofs)) + 0.7,
                      ...kernels.filter(kernel => moving(kernel) && kernel.flops)
                                .map(kernel => Math.log10(kernel.flops / kernel.bytes_accessed) + 0.3));
  const intensity = kernel => kernel.flops ? Math.log10(kernel.flops / kernel.bytes_accessed) : x0;
  // What only moves data has the height that its bandwidth has at the left edge.
  const height = kernel => kernel.flops ? Math.log10(kernel.flops_per_second)
                                        : Math.log10(kernel.bytes_per_second) + x0;
  const drawn = kernels.filter(kernel => moving(kernel) && kernel.bytes_per_second > 0);
  const y1 = Math.log10(Math.max(...rates)) + 0.3;
  const y0 = Math.min(Math.log10(Math.min(...roofs)) + x0 - 0.5, ...drawn.map(height)) - 0.2;
  const x = value => left + (right - left) * (value - x0) / (x1 - x0);
  const y = value => bottom - (bottom - top) * (value - y0) / (y1 - y0);
  for (let power = Math.ceil(x0); power <= x1; ++power) {
    element("svg:line", svg, {class: "grid", x1: x(power), x2: x(power), y1: top, y2: bottom});
    element("svg:text", svg, {x: x(power), y: bottom + 16, "text-anchor": "middle"}, `${Number((10 ** power).toPrecision(1))}`);
  }
  for (let power = Math.ceil(y0); power <= y1; ++power) {
    element("svg:line", svg, {class: "grid", x1: left, x2: right, y1: y(power), y2: y(power)});
    element("svg:text", svg, {x: left - 6, y: y(power) + 4, "text-anchor": "end"}, scaled(10 ** power, ""));
  }
  element("svg:text", svg, {x: right, y: bottom + 34, "text-anchor": "end"}, "operations for each byte accessed");
  element("svg:text", svg, {x: left + 4, y: top - 3}, "FLOP/s");

  const highest = Math.max(...rates);
  machine.bandwidths.forEach((entry, i) => {
    if (i > 0 && i + 1 < machine.bandwidths.length)
      return; // the fastest cache and the memory; the rest lies between
    const bend = Math.min(Math.log10(highest / entry.all_threads), x1);
    element("svg:line", svg, {class: i ? "roof" : "roof other", x1: x(x0), y1: y(x0 + Math.log10(entry.all_threads)),
                              x2: x(bend), y2: y(bend + Math.log10(entry.all_threads))});
    element("svg:text", svg, {x: x(x0) + 8, y: y(x0 + Math.log10(entry.all_threads)) - 8},
            `${scaled(entry.all_threads, "B/s")} ${i ? "memory" : "cache"}`);
  });
  machine.throughputs.forEach((entry, i) => {
    const begin = Math.log10(entry.all_threads / roofs[0]);
    element("svg:line", svg, {class: entry.type === "f32" ? "roof" : "roof other", x1: x(Math.max(begin, x0)), x2: x(x1),
                              y1: y(Math.log10(entry.all_threads)), y2: y(Math.log10(entry.all_threads))});
    // Beside each other: two may be as fast.
    element("svg:text", svg, {x: right - 150 * i, y: y(Math.log10(entry.all_threads)) - 4, "text-anchor": "end"},
            `${scaled(entry.all_threads, "FLOP/s")} ${entry.type}`);
  });
  for (const kernel of drawn) {
    const circle = element("svg:circle", svg, {
      cx: x(intensity(kernel)), cy: y(height(kernel)), fill: color(kernel.kind),
      r: 4 + 26 * Math.sqrt(kernel.total_ns / Math.max(profile.run_ns, 1))});
    element("svg:title", circle, {}, describe(kernel));
    circle.addEventListener("click", () => choose(kernel, true));
  }
}

function describe(kernel) {
  return [`${kernel.name} ${short(kernel.source)}`, `${kernel.calls} calls, ${duration(kernel.total_ns / kernel.calls)} each`,
          kernel.bytes_accessed ? scaled(kernel.bytes_per_second, "B/s") : "", kernel.flops ? scaled(kernel.flops_per_second, "FLOP/s") : "",
          kernel.share_of_limit === null ? "" : `${percent(kernel.share_of_limit)} of the limit, by ${kernel.bound_by}`,
          kernel.ops].filter(line => line).join("\n");
}

//===- Table -----------------------------------------------------------------===//

const columns = [
  {head: "time", value: kernel => kernel.total_ns, text: kernel => percent(kernel.total_ns / Math.max(profile.run_ns, 1))},
  {head: "total", value: kernel => kernel.total_ns, text: kernel => duration(kernel.total_ns)},
  {head: "calls", value: kernel => kernel.calls, text: kernel => `${kernel.calls}`},
  {head: "each", value: kernel => kernel.total_ns / kernel.calls, text: kernel => duration(kernel.total_ns / kernel.calls)},
  {head: "moved", value: kernel => kernel.bytes_per_second, text: kernel => kernel.bytes_accessed ? scaled(kernel.bytes_per_second, "B/s") : "-"},
  {head: "computed", value: kernel => kernel.flops_per_second, text: kernel => kernel.flops ? scaled(kernel.flops_per_second, "FLOP/s") : "-"},
  {head: "of limit", value: kernel => kernel.share_of_limit ?? -1,
   text: kernel => kernel.share_of_limit === null ? "-" : `${percent(kernel.share_of_limit)} ${kernel.bound_by === "memory" ? "mem" : kernel.arithmetic}`},
  {head: "waiting", value: kernel => kernel.waiting ?? -1, text: kernel => kernel.waiting === null ? "-" : percent(kernel.waiting)},
  {head: "kernel", value: kernel => kernel.name, text: kernel => kernel.name, kind: "text"},
  {head: "operation", value: kernel => kernel.op_name, text: kernel => kernel.op_name, kind: "text wide"},
  {head: "source", value: kernel => kernel.source, text: kernel => short(kernel.source), kind: "text"},
];
let rows = [];

function fillTable(column, ascending) {
  const body = byId("kernels").tBodies[0];
  body.replaceChildren();
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  const order = [...kernels].sort((a, b) => compare(column.value(a), column.value(b)) * (ascending ? 1 : -1));
  rows = order.map(kernel => {
    const row = element("tr", body, {title: describe(kernel)});
    for (const {text, kind} of columns) {
      const cell = element("td", row, {class: kind ?? ""}, text(kernel));
      if (text === columns[8].text)
        cell.prepend(element("span", cell, {class: "key", style: `background: ${color(kernel.kind)}`}));
    }
    row.addEventListener("click", () => choose(kernel, false));
    return {kernel, row};
  });
}

function choose(kernel, scroll) {
  for (const entry of rows) {
    entry.row.classList.toggle("chosen", entry.kernel === kernel);
    if (scroll && entry.kernel === kernel)
      entry.row.scrollIntoView({block: "center"});
  }
  chosen = kernels.indexOf(kernel);
  drawTimeline();
}

function drawTable() {
  const head = element("tr", byId("kernels").tHead);
  for (const column of columns) {
    const cell = element("th", head, {class: column.kind ?? ""}, column.head);
    cell.addEventListener("click", () => {
      const ascending = cell.classList.contains("sorted") ? cell.dataset.order !== "up" : column.kind !== undefined;
      for (const other of head.cells)
        other.classList.remove("sorted");
      cell.classList.add("sorted");
      cell.dataset.order = ascending ? "up" : "down";
      fillTable(column, ascending);
    });
  }
  head.cells[0].classList.add("sorted");
  fillTable(columns[0], false);
}

//===- Timeline --------------------------------------------------------------===//

const kRow = 26, kLabel = 130;
let chosen = -1;
const end = timeline.events.reduce((latest, event) => Math.max(latest, event[3] + event[4]), 1);
let from = 0, to = end;

// Things that lie inside others are drawn below them.
const depths = (() => {
  const stacks = timeline.threads.map(() => []);
  return timeline.events.map(([thread, , , begin, length]) => {
    const stack = stacks[thread];
    while (stack.length && stack.at(-1) <= begin)
      stack.pop();
    stack.push(begin + length);
    return stack.length - 1;
  });
})();
const rowsOfThread = timeline.threads.map(() => 1);
timeline.events.forEach(([thread], i) => { rowsOfThread[thread] = Math.max(rowsOfThread[thread], depths[i] + 1); });
const firstRow = rowsOfThread.map((_, thread) => rowsOfThread.slice(0, thread).reduce((sum, count) => sum + count, 0));

function place(canvas, [thread, , , begin, length], depth) {
  const scale = (canvas.clientWidth - kLabel) / (to - from);
  return {x: kLabel + (begin - from) * scale, y: (firstRow[thread] + depth) * kRow + 2,
          width: Math.max(length * scale, 0.5), height: kRow - 4};
}

function drawTimeline() {
  const canvas = byId("timeline"), ratio = window.devicePixelRatio || 1;
  const height = Math.max(rowsOfThread.reduce((sum, count) => sum + count, 0), 1) * kRow + 20;
  canvas.style.height = `${height}px`;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d"), style = getComputedStyle(document.body);
  context.scale(ratio, ratio);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  timeline.events.forEach((event, i) => {
    const {x, y, width, height: tall} = place(canvas, event, depths[i]);
    if (x + width < kLabel || x > canvas.clientWidth)
      return;
    const begin = Math.max(x, kLabel);
    context.globalAlpha = chosen < 0 || chosen === event[1] ? 1 : 0.25;
    context.fillStyle = color(kernels[event[1]]?.kind);
    context.fillRect(begin, y, x + width - begin, tall);
    if (x + width - begin > 60) {
      context.save();
      context.beginPath();
      context.rect(begin, y, x + width - begin - 4, tall);
      context.clip();
      context.fillStyle = "#ffffff";
      context.fillText(timeline.names[event[2]], begin + 4, y + tall / 2);
      context.restore();
    }
  });
  context.globalAlpha = 1;
  context.fillStyle = style.color;
  timeline.threads.forEach((name, thread) => context.fillText(name, 2, firstRow[thread] * kRow + kRow / 2, kLabel - 8));
  context.fillText(`${duration(from)} to ${duration(to)}`, kLabel, height - 9);
}

function eventAt(canvas, pointer) {
  const box = canvas.getBoundingClientRect(), px = pointer.clientX - box.left, py = pointer.clientY - box.top;
  for (let i = timeline.events.length - 1; i >= 0; --i) {
    const {x, y, width, height} = place(canvas, timeline.events[i], depths[i]);
    if (px >= x && px <= x + Math.max(width, 2) && py >= y && py <= y + height)
      return timeline.events[i];
  }
  return null;
}

function listenToTimeline() {
  const canvas = byId("timeline");
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const share = (event.clientX - canvas.getBoundingClientRect().left - kLabel) / (canvas.clientWidth - kLabel);
    const at = from + Math.min(Math.max(share, 0), 1) * (to - from), factor = Math.exp(event.deltaY / 400);
    [from, to] = [Math.max(0, at - (at - from) * factor), Math.min(end, at + Math.max((to - at) * factor, 10))];
    drawTimeline();
  }, {passive: false});
  canvas.addEventListener("pointermove", event => {
    if (event.buttons) {
      const step = Math.min(Math.max(-event.movementX * (to - from) / (canvas.clientWidth - kLabel), -from), end - to);
      [from, to] = [from + step, to + step];
      return drawTimeline();
    }
    const found = eventAt(canvas, event);
    byId("under").textContent = found ? `${timeline.names[found[2]]}: ${duration(found[4])}` : "";
  });
  canvas.addEventListener("dblclick", () => { [from, to] = [0, end]; drawTimeline(); });
  canvas.addEventListener("click", event => {
    const found = eventAt(canvas, event);
    choose(found ? kernels[found[1]] : undefined, false);
  });
  window.addEventListener("resize", drawTimeline);
}

function drawMachine() {
  const body = byId("machine").tBodies[0];
  const add = (what, entry, unit) => {
    const row = element("tr", body);
    element("td", row, {class: "text"}, what);
    element("td", row, {}, `${scaled(entry.one_thread, unit)} of one thread`);
    element("td", row, {}, `${scaled(entry.all_threads, unit)} of all ${machine.threads}`);
  };
  for (const entry of machine.throughputs)
    add(`multiply-adds of ${entry.type}`, entry, "FLOP/s");
  for (const entry of machine.bandwidths)
    add(`memory, working set of ${entry.working_set / 1024} KiB`, entry, "B/s");
}

drawRoofline();
drawTable();
drawTimeline();
listenToTimeline();
drawMachine();
