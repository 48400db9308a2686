// The entry of the page, when it is far down in the margin, is scrolled to the middle.
document.addEventListener("DOMContentLoaded", () => {
  const margin = document.querySelector(".sidebar-scroll");
  const entry = margin?.querySelector(".current-page > a");
  if (!entry) return;
  const below = entry.getBoundingClientRect().bottom - margin.getBoundingClientRect().bottom;
  if (below > 0) margin.scrollTop += below + margin.clientHeight / 2;
});
