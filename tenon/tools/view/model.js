// What the page of `tenon view` shows. A stage is a tree of nodes; members of an unfolded node are laid out by dagre, each
// node on its own, when they are shown first.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);

// --- What a node is -------------------------------------------------------------------------------------------------

const CATEGORIES = {
  contraction: 'products', reduction: 'reductions', elementwise: 'elementwise', movement: 'moving data',
  control: 'control', library: 'libraries, calls', constant: 'constants', boundary: 'arguments, results',
};
const CATEGORY_OF_KERNEL = {
  loop: 'elementwise', reduce: 'reduction', rows: 'reduction', columns: 'reduction', dot: 'contraction',
  matmul: 'contraction', convolution: 'contraction', runtime_call: 'library',
};
const OPS = {
  contraction: 'dot dot_general convolution dynamic_conv einsum ragged_dot',
  reduction: 'reduce reduce_window select_and_scatter sort top_k scan cumsum batch_norm_training',
  movement: 'reshape transpose broadcast_in_dim broadcast slice dynamic_slice dynamic_update_slice concatenate pad gather ' +
    'scatter reverse iota dynamic_reshape dynamic_broadcast_in_dim dynamic_gather dynamic_pad dynamic_iota copy bitcast_convert ' +
    'tuple get_tuple_element optimization_barrier torch_index_select',
  control: 'while if case call map',
  library: 'custom_call fft cholesky triangular_solve infeed outfeed send recv all_reduce all_gather all_to_all ' +
    'reduce_scatter collective_permute collective_broadcast composite rng rng_bit_generator',
  constant: 'constant create_token after_all',
  boundary: 'return yield',
};
const CATEGORY_OF_OP = new Map(Object.entries(OPS).flatMap(([kind, ops]) => ops.split(' ').map(op => [op, kind])));

const shortName = name => name.replace(/^[a-z]+\./, '');
const shortType = type => type.replace(/^tensor<(.*)>$/, '$1');

function categoryOf(node) {
  if (node.kind === 'arguments')
    return 'boundary';
  if (node.kind !== 'op')
    return 'group';
  if (node.kernel && CATEGORY_OF_KERNEL[node.kernel.kind])
    return CATEGORY_OF_KERNEL[node.kernel.kind];
  return CATEGORY_OF_OP.get(shortName(node.name)) || 'elementwise';
}

function human(number, base, units) {
  let unit = 0;
  for (; number >= base && unit + 1 < units.length; ++unit)
    number /= base;
  return `${unit ? number.toFixed(1) : Math.round(number)} ${units[unit]}`.trim();
}
const bytesText = bytes => human(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
const timeText = ns => human(ns, 1000, ['ns', 'us', 'ms', 's']);
const shareText = share => `${(100 * share).toFixed(1)} %`;
const countText = count => human(count, 1000, ['', 'k', 'M', 'G', 'T', 'P']);

const ROOT = -1;

class Stage {
  constructor({name, nodes}) {
    this.name = name;
    this.nodes = nodes;
    this.members = new Map([[ROOT, []]]);
    this.users = nodes.map(() => []);
    this.depth = nodes.map(() => 0);
    this.size = nodes.map(() => 1); // ops inside
    this.unfolded = new Set([ROOT]);
    this.boxes = new Map(); // layouts of unfolded nodes, until something in them changes
    nodes.forEach((node, id) => {
      this.members.set(id, []);
      this.members.get(node.parent).push(id);
      this.depth[id] = node.parent === ROOT ? 1 : this.depth[node.parent] + 1;
    });
    // Of the time of a run, where that was measured; of a group, what is inside.
    this.share = nodes.map(({kernel}) => kernel && kernel.time ? kernel.time.share : 0);
    for (let id = nodes.length - 1; id >= 0; --id) {
      if (nodes[id].parent !== ROOT)
        this.share[nodes[id].parent] += this.share[id];
      if (this.isGroup(id))
        this.size[id] = this.members.get(id).reduce((sum, member) => sum + this.size[member], 0);
    }
    this.connect();
    this.text = nodes.map(node => [node.name, node.location, node.scope, node.kernel && node.kernel.name,
      ...(node.results || []).flatMap(([value, type]) => [value, type]),
      ...(node.attributes || []).flatMap(([key, value]) => [key, value.slice(0, 200)])].join('\n').toLowerCase());
    this.unfoldSome(60);
  }

  isGroup(id) { return this.members.get(id).length > 0; }
  isOpen(id) { return this.unfolded.has(id) && this.isGroup(id); }
  parent(id) { return this.nodes[id].parent; }

  // Each flow of data is drawn between two members of the innermost node that has both ends.
  connect() {
    this.edges = new Map([[ROOT, new Map()]]);
    this.fromOutside = new Set();
    this.toOutside = new Set();
    this.nodes.forEach((node, id) => this.edges.set(id, new Map()));
    this.nodes.forEach((node, user) => (node.operands || []).forEach(([producer, number]) => {
      this.users[producer].push(user);
      let from = producer, to = user;
      while (this.parent(from) !== this.parent(to)) {
        if (this.depth[from] > this.depth[to])
          this.toOutside.add(from), from = this.parent(from);
        else
          this.fromOutside.add(to), to = this.parent(to);
      }
      if (from === to)
        return;
      const edges = this.edges.get(this.parent(from)), key = `${from},${to}`;
      if (!edges.has(key))
        edges.set(key, {from, to, bytes: 0, values: new Set()});
      const [value, type, bytes] = this.nodes[producer].results[number];
      const edge = edges.get(key);
      if (!edge.values.has(`${value} : ${type}`))
        edge.bytes += bytes;
      edge.values.add(`${value} : ${type}`);
    }));
  }

  // Level by level, as far as there is room; what a kernel does inside stays folded.
  unfoldSome(room) {
    const functions = this.members.get(ROOT);
    const main = functions.find(id => this.nodes[id].name === 'main');
    let level = main === undefined ? functions : [main], shown = functions.length;
    while (level.length) {
      level = level.filter(id => this.isGroup(id));
      shown += level.reduce((sum, id) => sum + this.members.get(id).length - 1, 0);
      if (shown > room)
        return;
      level.forEach(id => this.unfolded.add(id));
      level = level.flatMap(id => this.members.get(id)).filter(id => !this.isSmallBody(id));
    }
  }

  isSmallBody(id) {
    const {kind, name} = this.nodes[id];
    return kind === 'op' && !/\.(while|if|case)$/.test(name);
  }

  toggle(id) {
    this.unfolded.has(id) ? this.unfolded.delete(id) : this.unfolded.add(id);
    this.forget(id);
  }
  forget(id) {
    for (; id !== ROOT; id = this.parent(id))
      this.boxes.delete(id);
    this.boxes.delete(ROOT);
  }
  reveal(id) {
    for (let at = this.parent(id); at !== ROOT; at = this.parent(at)) {
      this.unfolded.add(at);
      this.forget(at);
    }
  }
  // The node, or the outermost folded one around it.
  shown(id) {
    let result = id;
    for (let at = this.parent(id); at !== ROOT; at = this.parent(at))
      if (!this.unfolded.has(at))
        result = at;
    return result;
  }
}

// --- Layout ---------------------------------------------------------------------------------------------------------

const HEADER = 26, PADDING = 12;
const measure = (() => {
  const context = document.createElement('canvas').getContext('2d'), known = new Map();
  context.font = '13px system-ui, sans-serif';
  return text => {
    if (!known.has(text))
      known.set(text, context.measureText(text).width);
    return known.get(text);
  };
})();
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '…' : text;

// 2.000000e+00 as 2; those that MLIR writes as bits of f32, f64, f16 and bf16 by name.
const SPECIAL = {'0x7F800000': 'inf', '0x7FF0000000000000': 'inf', '0x7C00': 'inf', '0x7F80': 'inf', '0xFF800000': '-inf',
  '0xFFF0000000000000': '-inf', '0xFC00': '-inf', '0xFF80': '-inf', '0x7FC00000': 'nan', '0x7FF8000000000000': 'nan',
  '0x7E00': 'nan', '0x7FC0': 'nan'};
const numberText = text => SPECIAL[text] || (/^-?[0-9.]+e[-+]?[0-9]+$/.test(text) ? String(Number(text)) : text);

// The one or two lines of a node.
function linesOf(stage, id) {
  const node = stage.nodes[id], results = node.results || [];
  const title = node.kernel && stage.isGroup(id) ? node.kernel.name : shortName(node.name);
  let second = results.length ? shortType(results[0][1]) + (results.length > 1 ? `, +${results.length - 1}` : '') : '';
  if (node.kind === 'op' && title === 'constant') {
    const value = ((node.attributes || []).find(([key]) => key === 'value') || [])[1] || '';
    const scalar = /^dense<([^>"]{1,20})>/.exec(value);
    return [scalar ? numberText(scalar[1]) : title, cut(second, 40)];
  }
  if (stage.isGroup(id) && !stage.isOpen(id))
    second = `${stage.size[id]} ops${second ? ' · ' + second : ''}`;
  if (stage.isOpen(id) && second)
    return [`${cut(title, 60)}   ${cut(second, 40)}`];
  return second ? [cut(title, 40), cut(second, 40)] : [cut(title, 40)];
}

// {width, height, lines, members: [{id, x, y}], edges: [{edge, points}]} of a node; places are within the node.
function layout(stage, id) {
  if (stage.boxes.has(id))
    return stage.boxes.get(id);
  const lines = id === ROOT ? [] : linesOf(stage, id);
  const textWidth = Math.max(0, ...lines.map(measure)) + (id !== ROOT && stage.isGroup(id) ? 48 : 20);
  const box = id !== ROOT && !stage.isOpen(id) ? {width: textWidth, height: lines.length > 1 ? 42 : 27, members: [], edges: []}
    : layoutMembers(stage, id, textWidth);
  box.lines = lines;
  stage.boxes.set(id, box);
  return box;
}

function layoutMembers(stage, id, minimum) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({nodesep: 16, ranksep: 30, edgesep: 8, marginx: PADDING, marginy: PADDING});
  graph.setDefaultEdgeLabel(() => ({}));
  const members = stage.members.get(id), edges = [...stage.edges.get(id).values()];
  const connected = new Set(edges.flatMap(({from, to}) => [from, to]));
  for (const member of members)
    if (connected.has(member))
      graph.setNode(String(member), {...sizeOf(stage, member)});
  for (const {from, to} of edges)
    graph.setEdge(String(from), String(to));
  const box = {width: 0, height: HEADER, members: [], edges: []};
  if (connected.size) {
    dagre.layout(graph);
    // dagre's width is that of the nodes alone: edges around them may pass by on either side.
    const points = edges.map(({from, to}) => graph.edge(String(from), String(to)).points);
    const passing = points.flat().map(({x}) => x);
    const shift = PADDING - passing.reduce((least, x) => Math.min(least, x), PADDING);
    for (const member of members.filter(member => connected.has(member))) {
      const {x, y, width, height} = graph.node(String(member));
      box.members.push({id: member, x: x - width / 2 + shift, y: y - height / 2 + HEADER});
    }
    edges.forEach((edge, i) => box.edges.push({edge, points: points[i].map(({x, y}) => [x + shift, y + HEADER])}));
    box.width = passing.reduce((most, x) => Math.max(most, x + PADDING), graph.graph().width) + shift;
    box.height = graph.graph().height + HEADER;
  }
  placeAlone(stage, members.filter(member => !connected.has(member)), box);
  box.width = Math.max(box.width, minimum);
  return box;
}

const sizeOf = (stage, id) => (({width, height}) => ({width, height}))(layout(stage, id));

// What no data flows to or from stands in rows below.
function placeAlone(stage, members, box) {
  const limit = Math.max(box.width, 900);
  let x = PADDING, y = box.height + (box.members.length ? 0 : PADDING), rowHeight = 0;
  for (const id of members) {
    const {width, height} = sizeOf(stage, id);
    if (x > PADDING && x + width > limit)
      x = PADDING, y += rowHeight + 14, rowHeight = 0;
    box.members.push({id, x, y});
    x += width + 14;
    rowHeight = Math.max(rowHeight, height);
    box.width = Math.max(box.width, x - 14 + PADDING);
  }
  if (members.length)
    box.height = y + rowHeight + PADDING;
}
