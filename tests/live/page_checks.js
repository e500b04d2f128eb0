// Run in a page by test_pages.py: what an audit of accessibility asks first. Returns sentences; none is good.
() => {
  const faults = [];
  const seen = (node) => node.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true;
  const told = (node) =>
    `<${node.tagName.toLowerCase()} ${node.id ? "#" + node.id : ""} ${node.className?.baseVal ?? node.className}>`;
  const name = (node) => {
    const by = node.getAttribute("aria-labelledby");
    const labels = [...(node.labels || [])].map((label) => label.textContent).join(" ");
    return (
      node.getAttribute("aria-label") ||
      (by && document.getElementById(by)?.textContent) ||
      labels ||
      node.textContent ||
      node.title ||
      ""
    ).trim();
  };
  if (!/^(en|zh-Hans)$/.test(document.documentElement.lang)) faults.push(`lang is ${document.documentElement.lang}`);
  if (document.querySelectorAll("main").length !== 1) faults.push("there is not one <main>");
  if (!document.title.includes("kifuwatch") && !location.pathname.startsWith("/embed"))
    faults.push(`title is ${document.title}`);
  for (const node of document.querySelectorAll(
    "button, a[href], input, select, textarea, summary, dialog, [role=button], go-board, nav, meter",
  )) {
    if (seen(node) && !name(node)) faults.push(`${told(node)} has no name`);
  }
  for (const image of document.images)
    if (seen(image) && image.currentSrc && !image.alt) faults.push(`${told(image)} has no alt`);
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids))
    if (ids.filter((each) => each === id).length > 1) faults.push(`id ${id} is there twice`);
  for (const node of document.querySelectorAll("[style]:not(dialog, .wall)"))
    if (!node.closest("svg") && node !== document.documentElement) faults.push(`${told(node)} has a style of its own`);

  // Contrast of all text, WCAG AA
  const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = numbers(style.backgroundColor);
      if (style.backgroundColor.startsWith("rgb") && (colour[3] ?? 1) > 0.98) return colour;
    }
    return null;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (
      !text.data.trim() ||
      !seen(node) ||
      node.closest("svg, script, option, .visually-hidden, :disabled, .turn-mark")
    )
      continue;
    if (/^[a-z-]+(\.[a-z-]+)+$/.test(text.data.trim())) faults.push(`a text is missing: ${text.data}`);
    const style = getComputedStyle(node);
    const back = ground(node);
    if (!back || !style.color.startsWith("rgb")) continue;
    const [a, b] = [light(numbers(style.color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large =
      parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5))
      faults.push(`${told(node)} "${text.data.trim().slice(0, 30)}" has a contrast of ${ratio.toFixed(2)}`);
  }
  return faults;
};
