// Names and tables for narrow columns; and the entry of the page in a long margin.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("article table.docutils").forEach(listIfWide);
  const names = "h1, h2, h3, .sidebar-tree a, .toc-tree a, article a, td, dt.sig";
  document.querySelectorAll(names).forEach((element) => allowBreaks(element, /\S{14}/));
  document.querySelectorAll(".highlight-text pre").forEach(keepGutter);
  document.querySelectorAll("article code").forEach((element) => allowBreaks(element, /\S{40}/));
  scrollToEntry();
  if (CHINESE) document.querySelectorAll("form.sidebar-search-container").forEach(askInChinese);
});

// The words of the search page, for a question in Chinese or from a Chinese page.
const asked = new URLSearchParams(location.search);
const CHINESE = document.documentElement.lang === "zh-CN" || asked.get("lang") === "zh"
  || /[\u4e00-\u9fff]/.test(asked.get("q") ?? "");
if (CHINESE) {
  Object.assign(Documentation.TRANSLATIONS, {
    Searching: "正在搜索",
    "Preparing search...": "正在准备搜索……",
    "Search Results": "搜索结果",
    "Search finished, found one page matching the search query.": ["找到 1 页。", "找到 ${resultCount} 页。"],
    ["Your search did not match any documents. Please make sure that all words are spelled correctly and that you've "
      + "selected enough categories."]: "没有找到相关页面。请检查拼写，或换一个词。",
  });
}

function askInChinese(form) {
  form.append(Object.assign(document.createElement("input"), {type: "hidden", name: "lang", value: "zh"}));
}

// A line of a report that is wrapped goes on behind the beginning of the line: spaces, `|`, `= help:`.
function keepGutter(block) {
  const lines = block.textContent.replace(/\n$/, "").split("\n");
  block.replaceChildren(...lines.map((text) => {
    const line = Object.assign(document.createElement("span"), {className: "line", textContent: text || " "});
    line.style.setProperty("--gutter", `${/^\s*(?:[|=] *(?:help:|note:)? *|--> )?/.exec(text)[0].length}ch`);
    return line;
  }));
}

// A table that does not fit a telephone is a list there: each row is a block, and its cells have the titles of their
// columns. A column wants its longest word, and 20 characters of a longer text. Many columns scroll instead.
function listIfWide(table) {
  const titles = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells]);
  const wanted = (text) => Math.min(text.length, Math.max(20, ...text.split(/\s+/).map((word) => word.length)));
  const widths = titles.map((title, at) => 3 + Math.max(...rows.map((row) => wanted(row[at]?.textContent ?? ""))));
  if (titles.length > 4 || widths.reduce((sum, width) => sum + width, 0) < 42) return;
  table.classList.add("listed");
  const named = titles.length > 2 ? titles : [];
  rows.forEach((row) => row.forEach((cell, at) => at && named[at] && (cell.dataset.title = named[at])));
}

// A long name may break behind a slash, a dot, a colon or an underscore, and before a capital; so it breaks nowhere else.
// One that is a link begins a line if it does not fit into the rest of the line before.
function allowBreaks(element, long) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) if (long.test(walker.currentNode.data)) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(/(?<=[_/.:])(?=\w)|(?<=[a-z0-9])(?=[A-Z])/);
    if (parts.length > 1 && !text.parentNode.querySelector("wbr")) {
      const link = text.parentNode.closest("a");
      if (link && !/\s/.test(link.textContent)) link.classList.add("name");
      text.replaceWith(...parts.flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part])));
    }
  }
}

// The entry of the page, when it is far down in the margin, is scrolled to the middle.
function scrollToEntry() {
  const margin = document.querySelector(".sidebar-scroll");
  const entry = margin?.querySelector(".current-page > a");
  if (!entry) return;
  const below = entry.getBoundingClientRect().bottom - margin.getBoundingClientRect().bottom;
  if (below > 0) margin.scrollTop += below + margin.clientHeight / 2;
}
