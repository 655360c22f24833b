// The page of `tenon view`: how the program was cut for its devices. The picture of the arrays is in the page already.

const KINDS = {
  program: 'boundary', required: 'contraction', 'partial sum': 'reduction', redistribution: 'movement', halo: 'library',
  fallback: 'control',
};
const inAll = collective => collective.received_bytes * (collective.times ?? 1);
const axesText = collective => collective.axes.join(', ') || '-';
const lineText = source => source.split('/').pop() || '-';
const withoutColumn = line => line.replace(/:\d+$/, '');
const amount = list => list.reduce((sum, collective) => sum + inAll(collective), 0);

// The ways to add up, and what the user has chosen to see of one of them.
const GROUPINGS = {kind: ({kind}) => kind, axes: axesText, line: ({source}) => withoutColumn(lineText(source))};
const shown = {grouping: null, key: null, byBytes: false};

function describeCut(parent, cut) {
  if (cut.not_partitioned) {
    const entry = html('p', parent, `The program is not cut, but run as a whole: ${cut.not_partitioned}. `, 'warning');
    if (cut.remedy)
      entry.append(`What would avoid it: ${cut.remedy}. `);
    sourceLink(entry, cut.source);
    return;
  }
  drawFacts(parent, cut);
  drawFallbacks(parent, cut.fallbacks);
  if (cut.collectives.length)
    drawCollectives(html('div', parent), cut.collectives);
  html('h3', parent, 'Arrays on the mesh: arguments, results, and what has more than 1 MiB');
}

function drawFacts(parent, cut) {
  const {memory, collectives, fallbacks, devices} = cut, facts = html('div', parent, undefined, 'facts');
  const runs = collectives.reduce((sum, {times}) => sum + (times ?? 1), 0);
  const open = collectives.some(({times}) => times === null) ? ' or more' : '';
  for (const [value, text, isBad] of [
    [String(devices), 'devices'],
    [bytesText(amount(collectives)) + open, 'received by a device in a run'],
    [runs + open, 'collectives in a run'],
    [String(fallbacks.length), 'computed whole', fallbacks.length > 0],
    [bytesText(memory.argument_bytes), 'arguments of a device'],
    [bytesText(memory.result_bytes), 'results of a device'],
    [bytesText(memory.temporary_bytes), 'temporary on a device'],
  ]) {
    const fact = html('div', facts, undefined, isBad ? 'fact bad' : 'fact');
    html('b', fact, value);
    html('span', fact, text);
  }
}

function drawFallbacks(parent, fallbacks) {
  if (!fallbacks.length)
    return;
  html('h3', parent, 'Computed whole on every device, of gathered operands');
  for (const {op, reason, remedy, bytes, source} of fallbacks) {
    const entry = html('p', parent, undefined, 'warning');
    html('b', entry, shortName(op));
    entry.append(` ${bytesText(bytes)}, `);
    sourceLink(entry, source);
    entry.append(`: ${reason}. What would avoid it: ${remedy}.`);
  }
}

// To the operations of that line, in the graph.
function sourceLink(parent, source) {
  if (!source)
    return;
  html('a', parent, lineText(source)).addEventListener('click', () => {
    showPart('graph');
    byId('search').value = lineText(source);
    search();
    goToMatch(0);
  });
}

function drawCollectives(parent, collectives) {
  parent.replaceChildren();
  html('h3', parent, 'Received by a device');
  const totals = html('div', parent, undefined, 'totals');
  const again = () => drawCollectives(parent, collectives);
  for (const grouping in GROUPINGS)
    drawTotals(totals, grouping, collectives, again);
  const {grouping, key, byBytes} = shown;
  const list = collectives.filter(collective => grouping === null || GROUPINGS[grouping](collective) === key);
  if (byBytes)
    list.sort((a, b) => inAll(b) - inAll(a));
  html('h3', parent, `Collectives${grouping === null ? '' : ` (${key})`}, ${byBytes ? 'by bytes' : 'in the order of the program'}`);
  const table = html('table', html('div', parent, undefined, 'box')), head = html('tr', table);
  for (const [name, className] of [['op', ''], ['for', ''], ['axes', ''], ['devices', 'number'], ['of a device', 'number'],
    ['receives', 'number'], ['times', 'number'], ['in all', 'number'], ['line', ''], ['why', '']]) {
    const cell = html('th', head, name === 'in all' ? undefined : name, className);
    if (name === 'in all')
      html('button', cell, byBytes ? 'in all ▾' : 'in all').addEventListener('click', () => (shown.byBytes = !byBytes, again()));
  }
  for (const collective of list)
    drawCollective(html('tr', table), collective);
}

function drawCollective(row, collective) {
  html('td', row, collective.op, 'short');
  drawKind(html('td', row), collective.kind);
  html('td', row, axesText(collective), 'short');
  for (const text of [collective.group_size || '-', bytesText(collective.local_bytes), bytesText(collective.received_bytes),
    collective.times ?? '?', bytesText(inAll(collective))])
    html('td', row, String(text), 'number');
  sourceLink(html('td', row, undefined, 'short'), collective.source);
  html('td', row, collective.reason, 'why');
}

function drawKind(parent, kind) {
  const entry = html('span', parent, undefined, 'kind');
  html('i', entry).style.setProperty('--kind', `var(--${KINDS[kind]})`);
  entry.append(kind);
}

// A bar for each key, in the colours of the kinds; a click shows these collectives only.
function drawTotals(parent, grouping, collectives, again) {
  const box = html('div', parent), groups = new Map();
  html('h4', box, `by ${grouping}`);
  for (const collective of collectives) {
    const key = GROUPINGS[grouping](collective);
    groups.set(key, [...(groups.get(key) || []), collective]);
  }
  const sorted = [...groups].sort((a, b) => amount(b[1]) - amount(a[1])), most = Math.max(1, amount(sorted[0][1]));
  for (const [key, list] of sorted.slice(0, 12)) {
    const isOn = shown.grouping === grouping && shown.key === key;
    const bar = html('button', box, undefined, isOn ? 'bar on' : 'bar');
    bar.title = `${key}: ${list.length} collectives`;
    html('span', bar, key, 'key');
    const track = html('span', bar, undefined, 'track');
    for (const kind in KINDS) {
      const part = html('i', track);
      part.style.setProperty('--kind', `var(--${KINDS[kind]})`);
      part.style.width = `${100 * amount(list.filter(collective => collective.kind === kind)) / most}%`;
    }
    html('span', bar, bytesText(amount(list)), 'amount');
    bar.addEventListener('click', () => {
      Object.assign(shown, isOn ? {grouping: null, key: null} : {grouping, key});
      again();
    });
  }
  if (sorted.length > 12)
    html('small', box, `and ${sorted.length - 12} more`);
}
