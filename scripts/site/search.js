// Looks for all words, as beginnings of words, in the sections that index.js lists: {page, heading, url, text}.
"use strict";

const input = document.getElementById("search");
const found = document.getElementById("found");
const article = document.querySelector("article");
const kMost = 30;

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);

// A title counts more than a heading, and that more than text; the whole word more than its beginning. 0: not there.
function weightOf(section, word) {
  let weight = 0;
  for (const [words, worth] of [[section.inPage, 4], [section.inHeading, 6], [section.inText, 1]]) {
    if (words.has(word)) weight += 2 * worth;
    else if ([...words].some((other) => other.startsWith(word) || other.split("_").includes(word))) weight += worth;
  }
  return weight;
}

function search(query) {
  const words = wordsOf(query);
  const hits = [];
  for (const section of siteIndex) {
    section.inPage ??= new Set(wordsOf(section.page));
    section.inHeading ??= new Set(wordsOf(section.heading));
    section.inText ??= new Set(wordsOf(section.text));
    const weights = words.map((word) => weightOf(section, word));
    if (weights.every((weight) => weight > 0))
      hits.push({ section, weight: weights.reduce((sum, weight) => sum + weight, 0) });
  }
  return hits.sort((a, b) => b.weight - a.weight).slice(0, kMost).map((hit) => hit.section);
}

// The text around the first word, as nodes, with the words marked.
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0).slice(0, 1));
  const part = text.slice(Math.max(0, at - 60), at + 140);
  const paragraph = document.createElement("p");
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "iu");
  for (const piece of part.split(pattern)) {
    const isWord = words.includes(piece.toLowerCase());
    const node = isWord ? document.createElement("mark") : document.createTextNode(piece);
    if (isWord) node.textContent = piece;
    paragraph.append(node);
  }
  return paragraph;
}

function show() {
  const words = wordsOf(input.value);
  found.hidden = words.length === 0;
  article.hidden = !found.hidden;
  if (found.hidden) return;
  const list = document.createElement("ul");
  for (const section of search(input.value)) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = siteRoot + section.url;
    link.textContent = section.heading === section.page ? section.page : `${section.page}: ${section.heading}`;
    item.append(link, excerpt(section.text, words));
    list.append(item);
  }
  found.replaceChildren(list.children.length ? list : document.createTextNode("Nothing has all of these words."));
}

input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "Escape") {
    input.value = "";
    show();
  }
});
found.addEventListener("click", (event) => {
  if (event.target.tagName === "A") {
    input.value = "";
    show();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
});

// Where the pages' list stands above the page itself (site.css), it opens by hand.
if (matchMedia("(max-width: 60rem)").matches) document.getElementById("pages").open = false;
