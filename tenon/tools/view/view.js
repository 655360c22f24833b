// The page of `tenon view`: drawing and what the user does. All text of the program is set as text, never as HTML.

// --- Drawing --------------------------------------------------------------------------------------------------------

const canvas = byId('canvas'), world = byId('world');
const places = new Map(); // absolute, of what is shown
let stage, selected = null, matches = [], matchAt = -1, view = {x: 0, y: 0, scale: 1};

function svg(name, attributes, parent, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes)
    element.setAttribute(key, attributes[key]);
  if (text !== undefined)
    element.textContent = text;
  parent.appendChild(element);
  return element;
}

function curve(points) {
  let path = `M${points[0]}`;
  for (let i = 1; i + 1 < points.length; ++i) {
    const [x, y] = points[i], [nextX, nextY] = points[i + 1];
    const end = i + 2 === points.length ? [nextX, nextY] : [(x + nextX) / 2, (y + nextY) / 2];
    path += `Q${x} ${y} ${end[0]} ${end[1]}`;
  }
  return points.length === 2 ? `${path}L${points[1]}` : path;
}

function draw() {
  world.replaceChildren();
  places.clear();
  const found = new Set(matches), holders = new Set();
  for (const id of matches)
    if (stage.shown(id) !== id)
      holders.add(stage.shown(id));
  drawMembers(ROOT, layout(stage, ROOT), 0, -HEADER, world, {found, holders});
  drawFlow();
  applyView();
}

function drawMembers(id, box, x, y, parent, marks) {
  for (const {edge, points} of box.edges) {
    const path = svg('path', {class: 'edge', d: curve(points.map(([px, py]) => [x + px, y + py])),
      'stroke-width': Math.min(4, 1 + Math.log10(1 + edge.bytes / 4096))}, parent);
    svg('title', {}, path, cut([...edge.values].join('\n'), 600) + `\n${bytesText(edge.bytes)}`);
  }
  for (const member of box.members)
    drawNode(member.id, x + member.x, y + member.y, parent, marks);
}

function drawNode(id, x, y, parent, marks) {
  const node = stage.nodes[id], box = layout(stage, id), isOpen = stage.isOpen(id), isGroup = stage.isGroup(id);
  places.set(id, {x, y, width: box.width, height: box.height});
  const classes = ['node', isOpen ? 'open' : isGroup ? 'folded' : 'leaf'];
  if (marks.found.has(id))
    classes.push('match');
  if (marks.holders.has(id))
    classes.push('holds-match');
  if (id === selected)
    classes.push('selected');
  const group = svg('g', {class: classes.join(' '), 'data-id': id, style: `--kind: var(--${categoryOf(node)})`}, parent);
  if (!isOpen)
    svg('title', {}, group, [node.name, node.location, node.scope].filter(Boolean).join('\n'));
  svg('rect', {x, y, width: box.width, height: box.height}, group);
  const left = isGroup ? x + 30 : x + 10;
  box.lines.forEach((line, i) => svg('text', {x: left, y: y + 18 + 16 * i, class: i ? 'type' : 'name'}, group, line));
  if (isGroup) {
    svg('rect', {class: 'toggle', x: x + 8, y: y + 6, width: 15, height: 15, 'data-toggle': id}, group);
    svg('text', {class: 'sign', x: x + 15.5, y: y + 18}, group, isOpen ? '−' : '+');
  }
  if (stage.share[id] > 0) {
    const bar = svg('rect', {class: 'heat', x, y: y + box.height - 5, width: Math.max(2, box.width * Math.min(1, stage.share[id])),
      height: 5}, group);
    svg('title', {}, bar, `${shareText(stage.share[id])} of the time of a run`);
  }
  const middle = x + box.width / 2;
  if (stage.fromOutside.has(id) && node.kind !== 'arguments')
    svg('line', {class: 'stub', x1: middle, y1: y - 10, x2: middle, y2: y}, group);
  if (stage.toOutside.has(id))
    svg('line', {class: 'stub', x1: middle, y1: y + box.height, x2: middle, y2: y + box.height + 10}, group);
  if (isOpen)
    drawMembers(id, box, x, y, group, marks);
}

// From what the selected node reads, and to what reads it, wherever it is.
function drawFlow() {
  if (selected === null)
    return;
  const node = stage.nodes[selected];
  const pairs = [...(node.operands || []).map(([producer]) => [producer, selected]),
    ...stage.users[selected].map(user => [selected, user])].map(([from, to]) => [stage.shown(from), stage.shown(to)]);
  for (const key of new Set(pairs.filter(([from, to]) => from !== to).map(pair => pair.join()))) {
    const [from, to] = key.split(',').map(Number), a = places.get(from), b = places.get(to);
    if (!a || !b)
      continue;
    const x0 = a.x + a.width / 2, y0 = a.y + a.height, x1 = b.x + b.width / 2, y1 = b.y;
    const bend = Math.max(24, Math.abs(y1 - y0) / 3);
    svg('path', {class: 'flow', d: `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`}, world);
  }
}

function applyView() {
  world.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
}

// --- Moving about ---------------------------------------------------------------------------------------------------

// The scale at which all is seen.
function wholeScale() {
  const {width, height} = layout(stage, ROOT);
  return Math.min(1.2, canvas.clientWidth / (width + 30), (canvas.clientHeight - 40) / (height + 20));
}

function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
  const scale = Math.min(4, Math.max(Math.min(0.02, wholeScale()), view.scale * factor)), ratio = scale / view.scale;
  view = {x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio, scale};
  applyView();
}

// With `least`, what would be smaller begins at its top instead.
function fit(least = 0) {
  const {width, height} = layout(stage, ROOT), scale = Math.max(wholeScale(), least);
  view = {scale, x: (canvas.clientWidth - width * scale) / 2,
    y: Math.max(12, (canvas.clientHeight - 40 - height * scale) / 2)};
  applyView();
}

function center(id) {
  const {x, y, width, height} = places.get(id);
  const scale = Math.max(view.scale, 0.7);
  view = {scale, x: canvas.clientWidth / 2 - (x + width / 2) * scale,
    y: canvas.clientHeight / 2 - (y + Math.min(height, canvas.clientHeight / scale) / 2) * scale};
  applyView();
}

// The node stays where it is on the screen.
function toggle(id) {
  const before = places.get(id);
  stage.toggle(id);
  draw();
  const after = places.get(id);
  view.x += (before.x - after.x) * view.scale;
  view.y += (before.y - after.y) * view.scale;
  applyView();
}

function select(id, isFar = false) {
  selected = id;
  if (isFar)
    stage.reveal(id);
  draw();
  if (isFar)
    center(id);
  describe();
}

// --- The panel ------------------------------------------------------------------------------------------------------

function html(name, parent, text, className) {
  const element = document.createElement(name);
  if (text !== undefined)
    element.textContent = text;
  if (className)
    element.className = className;
  parent.appendChild(element);
  return element;
}

function table(parent, title, rows) {
  if (!rows.length)
    return;
  html('h3', parent, title);
  const body = html('table', parent);
  for (const [key, value, target] of rows) {
    const row = html('tr', body);
    html('td', row, key);
    const cell = html('td', row);
    if (target === undefined)
      html('code', cell, value);
    else
      html('a', cell, value).addEventListener('click', () => select(target, true));
  }
}

const label = id => {
  const {name, results, location} = stage.nodes[id];
  return `${shortName(name)}${results && results.length ? ' ' + results[0][0] : ''}${location ? ' · ' + location.split('/').pop() : ''}`;
};

function describe() {
  const panel = byId('panel');
  panel.replaceChildren();
  const searches = byId('search').value !== '';
  if (searches && matchAt < 0)
    return listMatches(panel);
  if (selected === null)
    return summarize(panel);
  describeNode(panel);
  if (searches)
    listMatches(panel);
}

function describeNode(panel) {
  const node = stage.nodes[selected];
  html('h2', panel, node.name);
  const about = [['kind', node.kind]];
  if (node.location)
    about.push(['location', node.location]);
  if (node.scope)
    about.push(['name', node.scope]);
  if (stage.isGroup(selected))
    about.push(['ops inside', String(stage.size[selected])]);
  if (node.callee !== undefined)
    about.push(['calls', stage.nodes[node.callee].name, node.callee]);
  if (node.parent !== ROOT)
    about.push(['in', stage.nodes[node.parent].name, node.parent]);
  table(panel, '', about);
  if (node.kernel) {
    const {name, kind, step, flops, bytes, calls, time} = node.kernel;
    table(panel, 'Kernel', [['name', name], ['kind', kind], ['step', String(step)],
      ...(flops === undefined ? [] : [['flops', countText(flops)], ['moves', bytesText(bytes)], ['calls of the code', String(calls)]]),
      ...(time === undefined ? [] : timeRows(time, flops, bytes))]);
  }
  table(panel, 'Results', (node.results || []).map(([value, type, bytes]) => [value, `${type} (${bytesText(bytes)})`]));
  table(panel, 'Reads', (node.operands || []).map(([id, number]) => [stage.nodes[id].results[number][0], label(id), id]));
  table(panel, 'Read by', [...new Set(stage.users[selected])].slice(0, 100).map(id => ['→', label(id), id]));
  table(panel, 'Attributes', node.attributes || []);
}

// What a run was measured to take.
function timeRows({ns, share, calls, of_limit}, flops, bytes) {
  const rows = [['time', `${timeText(ns)}, ${shareText(share)} of a run`]];
  if (calls > 1)
    rows.push(['calls in a run', countText(calls)]);
  const perSecond = 1e9 * calls / ns;
  if (flops)
    rows.push(['computes', `${countText(flops * perSecond)} flops/s`]);
  if (bytes)
    rows.push(['moves', `${bytesText(bytes * perSecond)}/s`]);
  if (of_limit)
    rows.push(['of the limit', shareText(of_limit)]);
  return rows;
}

function summarize(panel) {
  const ops = stage.nodes.filter(node => node.kind === 'op');
  html('h2', panel, data.program);
  const rows = [['stage', stage.name], ['ops', String(ops.length)]];
  const kernels = ops.filter(node => node.kernel);
  if (kernels.length) {
    rows.push(['kernels', String(kernels.length)]);
    for (const [key, text] of [['flops', countText], ['bytes', bytesText]])
      rows.push([key === 'bytes' ? 'moves' : key, text(kernels.reduce((sum, {kernel}) => sum + (kernel[key] || 0), 0)) +
        ' (loops once)']);
  }
  table(panel, '', rows);
  const codes = new Map(); // of kernels that several places call
  for (const node of kernels.filter(({kernel}) => kernel.flops)) {
    const code = codes.get(node.kernel.name) || {flops: 0, calls: 0, node};
    codes.set(node.kernel.name, {flops: code.flops + node.kernel.flops, calls: code.calls + 1, node: code.node});
  }
  const slow = kernels.filter(({kernel}) => kernel.time).sort((a, b) => b.kernel.time.ns - a.kernel.time.ns).slice(0, 10);
  table(panel, 'Most time', slow.map(node =>
    [`${timeText(node.kernel.time.ns)}, ${shareText(node.kernel.time.share)}`, node.kernel.name, stage.nodes.indexOf(node)]));
  const costly = [...codes].sort((a, b) => b[1].flops - a[1].flops).slice(0, 10);
  table(panel, 'Most flops', costly.map(([name, {flops, calls, node}]) =>
    [countText(flops), calls > 1 ? `${name} (${calls} calls)` : name, stage.nodes.indexOf(node)]));
  const counts = new Map();
  for (const {name} of ops)
    counts.set(name, (counts.get(name) || 0) + 1);
  table(panel, 'Ops', [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => [String(count), name]));
}

function listMatches(panel) {
  html('h2', panel, `${matches.length} found`);
  matches.slice(0, 200).forEach((id, i) => {
    const node = stage.nodes[id];
    const entry = html('a', panel, label(id), 'result' + (i === matchAt ? ' on' : ''));
    html('small', entry, [node.results && node.results.length ? node.results[0][1] : '', node.scope].filter(Boolean).join('  '));
    entry.addEventListener('click', () => goToMatch(i));
  });
}

// --- Search ---------------------------------------------------------------------------------------------------------

function search() {
  const terms = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  matches = [];
  matchAt = -1;
  if (terms.length)
    stage.text.forEach((text, id) => terms.every(term => text.includes(term)) && matches.push(id));
  byId('count').textContent = terms.length ? `${matches.length} found` : '';
  draw();
  describe();
}

function goToMatch(index) {
  if (!matches.length)
    return;
  matchAt = (index + matches.length) % matches.length;
  byId('count').textContent = `${matchAt + 1} of ${matches.length}`;
  select(matches[matchAt], true);
}

// --- Controls -------------------------------------------------------------------------------------------------------

function showStage(index) {
  if (!(data.stages[index] instanceof Stage))
    data.stages[index] = new Stage(data.stages[index]);
  stage = data.stages[index];
  byId('stage').value = index;
  selected = null;
  drawLegend();
  search();
  fit(0.45);
}

function drawLegend() {
  const used = new Set(stage.nodes.map(categoryOf));
  byId('legend').replaceChildren();
  for (const category in CATEGORIES) {
    if (!used.has(category))
      continue;
    const entry = html('span', byId('legend'));
    html('i', entry).style.background = `var(--${category})`;
    entry.append(CATEGORIES[category]);
  }
  if (stage.share.some(share => share > 0)) {
    const entry = html('span', byId('legend'));
    html('i', entry).className = 'heat';
    entry.append('share of the time');
  }
}

// One of PARTS.
const PARTS = ['graph', 'memory', 'devices'];
function showPart(shown) {
  for (const part of PARTS) {
    byId(part).hidden = part !== shown;
    byId(`show-${part}`).classList.toggle('on', part === shown);
  }
  byId('panel').hidden = shown !== 'graph';
}

function unfoldLevel() {
  const open = [...places.keys()].filter(id => stage.isGroup(id) && !stage.isOpen(id));
  let room = 1500 - places.size;
  for (const id of open) {
    room -= stage.members.get(id).length;
    if (room < 0)
      break;
    stage.toggle(id);
  }
  draw();
  fit();
}

function foldAll() {
  const functions = stage.members.get(ROOT);
  stage.unfolded = new Set(functions.length === 1 ? [ROOT, functions[0]] : [ROOT]);
  stage.boxes.clear();
  draw();
  fit();
}

function applyTheme(theme) {
  const isDark = theme === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  byId('theme').textContent = {auto: 'Theme', dark: 'Dark', light: 'Light'}[theme];
  byId('theme').dataset.theme = theme;
}

function listenToCanvas() {
  let drag = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    drag = {x: event.clientX - view.x, y: event.clientY - view.y, isMoved: false, fromX: event.clientX, fromY: event.clientY};
  });
  window.addEventListener('pointermove', event => {
    if (!drag)
      return;
    drag.isMoved ||= Math.hypot(event.clientX - drag.fromX, event.clientY - drag.fromY) > 4;
    if (!drag.isMoved)
      return;
    canvas.classList.add('dragging');
    view.x = event.clientX - drag.x;
    view.y = event.clientY - drag.y;
    applyView();
  });
  window.addEventListener('pointerup', () => {
    canvas.classList.remove('dragging');
    setTimeout(() => drag = null);
  });
  canvas.addEventListener('click', event => {
    if (drag && drag.isMoved)
      return;
    const node = event.target.closest('.node');
    if (event.target.dataset.toggle)
      return toggle(Number(event.target.dataset.toggle));
    if (event.detail > 1)
      return;
    byId('search').value && (byId('search').value = '', search());
    select(node ? Number(node.dataset.id) : null);
  });
  canvas.addEventListener('dblclick', event => {
    const node = event.target.closest('.node');
    if (node && stage.isGroup(Number(node.dataset.id)) && !event.target.dataset.toggle)
      toggle(Number(node.dataset.id));
  });
}

function listenToKeys() {
  const actions = {'/': () => byId('search').focus(), f: () => fit(), e: unfoldLevel, c: foldAll, '+': () => zoom(1.25), '-': () => zoom(0.8)};
  window.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === 'INPUT' || event.target.tagName === 'SELECT')
      return;
    if (actions[event.key]) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  byId('search').addEventListener('input', search);
  byId('search').addEventListener('keydown', event => {
    if (event.key === 'Enter')
      goToMatch(matchAt + (event.shiftKey ? -1 : 1));
    if (event.key === 'Escape')
      byId('search').value = '', search(), event.target.blur();
  });
}

function start() {
  data.stages.forEach(({name}, index) => html('option', byId('stage'), name).value = index);
  byId('stage').addEventListener('change', event => showStage(Number(event.target.value)));
  for (const [id, action] of Object.entries({unfold: unfoldLevel, fold: foldAll, fit: () => fit(), in: () => zoom(1.25), out: () => zoom(0.8),
    ...Object.fromEntries(PARTS.map(part => [`show-${part}`, () => showPart(part)]))}))
    byId(id).addEventListener('click', action);
  const themes = {auto: 'dark', dark: 'light', light: 'auto'};
  byId('theme').addEventListener('click', event => applyTheme(themes[event.target.dataset.theme]));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => applyTheme(byId('theme').dataset.theme));
  applyTheme('auto');
  byId('show-memory').hidden = !byId('memory').querySelector('svg');
  byId('show-devices').hidden = !data.partition;
  if (data.partition)
    describeCut(byId('cut'), data.partition);
  byId('memory').addEventListener('click', event => {
    const last = data.stages.length - 1;
    const step = Number(event.target.dataset.step ?? -1);
    if (step < 0)
      return;
    showPart('graph');
    showStage(last);
    const node = stage.nodes.findIndex(({kernel}) => kernel && kernel.step === step);
    if (node >= 0)
      select(node, true);
  });
  listenToCanvas();
  listenToKeys();
  window.addEventListener('resize', applyView);
  showStage(data.stages.length - 1);
}

start();
