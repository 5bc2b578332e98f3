"use strict";
// The section in view is marked in the list of sections.
(function () {
  const links = new Map();
  for (const link of document.querySelectorAll("nav a")) links.set(link.hash.slice(1), link);
  if (!("IntersectionObserver" in window)) return;
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target.id);
      else seen.delete(entry.target.id);
    }
    let first = null;
    for (const [id, link] of links) {
      link.classList.remove("here");
      if (first === null && seen.has(id)) first = link;
    }
    if (first) first.classList.add("here");
  });
  for (const section of document.querySelectorAll("section")) observer.observe(section);
})();
