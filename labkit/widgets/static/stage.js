// The stage: shows the scenes that Python drew, one at a time. It needs no kernel to step.
//
// runs: [{title, source, scenes: [{title, svg, caption, alt, line, illustration}]}]; several runs
// step together, side by side. Only scene.svg is read as markup, everything else is text.

const PLAY_MS = 2500; // time to read a caption
const LISTED_STEPS = 12; // a longer list would be a wall of buttons: there the slider is enough

export const clamp = (step, count) => Math.max(0, Math.min(step, count - 1));

export const countSteps = (runs) => Math.max(0, ...runs.map((run) => run.scenes.length));

/** How wide the widest picture of a run is, in pixels. */
export const widest = (run) =>
  Math.max(...run.scenes.map((scene) => parseFloat(/ width="([\d.]+)"/.exec(scene.svg)?.[1] ?? 0)));

/** What the slider says: "Step 2 of 6: the mesh". */
export function stepText(runs, step) {
  const run = runs.find((candidate) => step < candidate.scenes.length);
  return run ? `Step ${step + 1} of ${countSteps(runs)}: ${run.scenes[step].title}` : "";
}

/** The place a key leads to, or null when the key means nothing here. */
export function keyTarget(key, place, count) {
  const targets = {
    ArrowLeft: place - 1, ArrowUp: place - 1, ArrowRight: place + 1, ArrowDown: place + 1,
    Home: 0, End: count - 1,
  };
  return key in targets && count > 0 ? clamp(targets[key], count) : null;
}

const sliceOf = (el) =>
  el.dataset.slice && `${el.closest("[data-variable]")?.dataset.variable}: ${el.dataset.slice}`;

/** Every element of a picture that shows the device or the slice of `item`, and who holds it. */
export function related(picture, item) {
  const all = [...picture.querySelectorAll("[data-device], [data-slice]")];
  const { device } = item.dataset;
  const own = device ? all.filter((el) => el.dataset.device === device) : [item];
  const slices = new Set(own.flatMap((el) => [el, ...el.querySelectorAll("[data-slice]")])
    .map(sliceOf).filter(Boolean));
  const same = all.filter((el) => slices.has(sliceOf(el)));
  const holders = device ? [] : same.map((el) => el.closest("[data-device]")).filter(Boolean);
  return new Set([...own, ...same, ...holders]);
}

/** An element with attributes and children; a string child becomes text, never markup. */
export function make(tag, attributes = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

/** scene.svg as an element. */
export function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const readable = parsed.localName === "svg" && !parsed.querySelector("parsererror, script");
  return readable ? document.importNode(parsed, true)
    : make("p", {}, "This picture could not be read.");
}

/** The devices of a picture, one Tab stop for all of them; arrow keys go on from there. */
export function reachDevices(picture) {
  const devices = [...picture.querySelectorAll("[data-device]")]
    .filter((el) => !el.parentElement.closest("[data-device]"));
  devices.forEach((el, i) => {
    el.setAttribute("tabindex", i ? "-1" : "0");
    if (!el.hasAttribute("role")) el.setAttribute("role", "img");
    const words = el.querySelector("title")?.textContent ?? `${el.dataset.device} ${el.textContent}`;
    if (!el.hasAttribute("aria-label")) el.setAttribute("aria-label", words);
  });
  return devices;
}

function light(picture, item) {
  const lit = item ? related(picture, item) : new Set();
  picture.classList.toggle("lk-linking", lit.size > 0);
  for (const el of picture.querySelectorAll("[data-device], [data-slice]")) {
    el.classList.toggle("lk-linked", lit.has(el));
  }
}

function linkOnPointerAndFocus(picture, signal) {
  const on = (types, action) =>
    types.forEach((type) => picture.addEventListener(type, action, { signal }));
  on(["pointerover", "focusin"], (event) =>
    light(picture, event.target.closest("[data-slice], [data-device]")));
  on(["pointerleave", "focusout"], () => light(picture, null));
}

/** Arrow keys inside a picture go from device to device; true when the key was used. */
function walkDevices(target, key) {
  const picture = target.closest(".lk-scene");
  if (!picture || !target.dataset.device) return false;
  const devices = [...picture.querySelectorAll("[data-device][tabindex]")];
  const place = keyTarget(key, devices.indexOf(target), devices.length);
  if (place === null) return false;
  devices.forEach((el, i) => el.setAttribute("tabindex", i === place ? "0" : "-1"));
  devices[place].focus();
  return true;
}

/** Puts a scene in a picture; a device that had the focus keeps it in the new picture. */
function drawScene(picture, scene) {
  const focused = picture.contains(document.activeElement)
    ? document.activeElement.dataset.device : null;
  const svg = drawing(scene.svg);
  svg.removeAttribute("aria-label"); // the words beside it can be read line by line
  svg.setAttribute("role", "none");
  picture.replaceChildren(svg, make("pre", { class: "lk-heard" }, scene.alt));
  light(picture, null);
  const again = reachDevices(picture).find((el) => el.dataset.device === focused);
  if (focused) (again ?? picture.closest(".lk-stage")).focus({ preventScroll: true });
}

function sourceList(source) {
  const lines = source.split("\n").map((line) => make("li", {}, make("code", {}, line)));
  return make("ol", { class: "lk-source", "aria-label": "Program" }, ...lines);
}

function markLine(list, line) {
  [...list.children].forEach((el, i) => {
    if (i + 1 === line) el.setAttribute("aria-current", "true");
    else el.removeAttribute("aria-current");
  });
}

/** One run's column: caption, picture and program. */
function makeColumn(run, signal) {
  const picture = make("div", { class: "lk-scene" });
  const label = make("span", { class: "lk-illustration" }, "illustration");
  const caption = make("p", { class: "lk-caption", role: "status" });
  const source = sourceList(run.source);
  // the program stands beside the pictures in all steps or in none
  const el = make("section", { class: "lk-run", style: `--lk-wide: ${widest(run)}px` });
  if (run.title) el.append(make("h4", { class: "lk-run-title" }, run.title));
  el.append(caption, picture, ...(run.source ? [source] : []));
  linkOnPointerAndFocus(picture, signal);
  const show = (step) => {
    const scene = run.scenes[clamp(step, run.scenes.length)];
    drawScene(picture, scene);
    caption.replaceChildren(...(scene.illustration ? [label, " "] : []), scene.caption);
    markLine(source, scene.line);
  };
  return { el, show };
}

function makeButton(text, action, signal) {
  const el = make("button", { type: "button" }, text);
  // aria-disabled, not disabled: a disabled button would drop the focus, and with it the keys
  const act = () => el.getAttribute("aria-disabled") !== "true" && action();
  el.addEventListener("click", act, { signal });
  return el;
}

/** Back, Next, Play and the slider. */
function makeBar(moves, signal) {
  const back = makeButton("Back", () => moves.go(moves.place() - 1), signal);
  const next = makeButton("Next", () => moves.go(moves.place() + 1), signal);
  const play = makeButton("Play", moves.play, signal);
  const slider = make("input", { type: "range", min: 0, "aria-label": "Step" });
  slider.addEventListener("input", () => moves.go(Number(slider.value)), { signal });
  const show = (runs, step, playing) => {
    const count = countSteps(runs);
    back.setAttribute("aria-disabled", step <= 0);
    next.setAttribute("aria-disabled", step >= count - 1);
    play.setAttribute("aria-disabled", count < 2);
    play.textContent = playing ? "Pause" : "Play";
    slider.max = Math.max(0, count - 1);
    slider.value = step;
    slider.setAttribute("aria-valuetext", stepText(runs, step));
  };
  return { el: make("div", { class: "lk-bar" }, back, next, play, slider), show };
}

/** The titles of all steps, each a button; with very many steps only the current title. */
function makeSteps(go, signal) {
  const el = make("ol", { class: "lk-steps", "aria-label": "Steps" });
  const item = (title, i) => make("li", {}, makeButton(title, () => go(i), signal));
  const show = (runs, step) => {
    const count = countSteps(runs);
    const all = Array.from({ length: count }, (_, i) => stepText(runs, i));
    const titles = all.map((text) => text.slice(text.indexOf(": ") + 2));
    const fresh = el.dataset.titles !== titles.join("\n");
    el.dataset.titles = titles.join("\n");
    if (fresh) el.replaceChildren(...(count > LISTED_STEPS ? [] : titles.map(item)));
    [...el.querySelectorAll("button")].forEach((button, i) => {
      if (i === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    if (count > LISTED_STEPS) el.replaceChildren(make("li", { class: "lk-now" }, all[step]));
  };
  return { el, show };
}

/** Moving from step to step: by hand, by key, or by the clock. */
function makeMoves(model, changed) {
  const count = () => countSteps(model.get("runs"));
  const place = () => clamp(model.get("step"), count());
  const put = (step) => {
    model.set("step", clamp(step, count()));
    model.save_changes();
  };
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    changed();
  };
  const tick = () => {
    put(place() + 1);
    if (place() >= count() - 1) stop();
  };
  const play = () => {
    if (timer !== null) return stop();
    if (place() >= count() - 1) put(0);
    timer = setInterval(tick, PLAY_MS);
    changed();
  };
  const go = (step) => {
    stop();
    put(step);
  };
  return { place, count, go, play, stop, playing: () => timer !== null };
}

const isBare = (event) => !event.altKey && !event.ctrlKey && !event.metaKey;

/** JupyterLab takes bare keys as commands on its cells, and would move on to another cell. */
function keepKey(event) {
  if (isBare(event)) event.stopPropagation();
}

/** The same for the controls around a stage. By the first focus the box is sure to be there. */
function keepKeysAround(el, signal) {
  const keep = () => el.closest(".lk-explorer")?.addEventListener("keydown", keepKey, { signal });
  document.addEventListener("focusin", keep, { signal });
}

function onKeys(root, moves, signal) {
  root.addEventListener("keydown", (event) => {
    keepKey(event);
    const { target, key } = event;
    if (!isBare(event) || target.type === "range") return;
    const place = keyTarget(key, moves.place(), moves.count());
    if (!walkDevices(target, key) && place !== null) moves.go(place);
    if (place !== null) event.preventDefault();
  }, { signal });
}

/** What stands around the pictures: controls, status and the band that says not to trust them. */
function makeFrame(model, signal) {
  const moves = makeMoves(model, () => showMoves());
  const bar = makeBar(moves, signal);
  const steps = makeSteps(moves.go, signal);
  const status = make("p", { class: "lk-status", role: "status" });
  const why = make("p", { class: "lk-why", role: "status" });
  const board = make("div", { class: "lk-board" });
  const root = make("section", { class: "lk-stage", tabindex: 0, "aria-label": "Stage" },
    bar.el, steps.el, why, board);
  bar.el.append(status);
  const showMoves = () => {
    root.dataset.step = moves.place();
    bar.show(model.get("runs"), moves.place(), moves.playing());
    steps.show(model.get("runs"), moves.place());
  };
  const tell = () => {
    status.textContent = model.get("status") ?? "";
    why.textContent = model.get("why") ? `not to be trusted: ${model.get("why")}` : "";
    root.setAttribute("aria-busy", Boolean(model.get("busy")));
  };
  onKeys(root, moves, signal);
  return { root, board, moves, showMoves, tell };
}

function render({ model, el }) {
  const life = new AbortController();
  const frame = makeFrame(model, life.signal);
  let columns = [];
  const show = () => {
    frame.showMoves();
    columns.forEach((column) => column.show(frame.moves.place()));
  };
  const rebuild = () => {
    columns = model.get("runs").map((run) => makeColumn(run, life.signal));
    frame.board.replaceChildren(...columns.map((column) => column.el));
    frame.board.classList.toggle("lk-side-by-side", columns.length > 1);
    show();
  };
  const watched = {
    "change:runs": rebuild, "change:step": show,
    "change:status": frame.tell, "change:why": frame.tell, "change:busy": frame.tell,
  };
  for (const [name, action] of Object.entries(watched)) model.on(name, action);
  el.append(frame.root);
  keepKeysAround(el, life.signal);
  rebuild();
  frame.tell();
  return () => {
    for (const [name, action] of Object.entries(watched)) model.off(name, action);
    frame.moves.stop();
    life.abort();
    frame.root.remove();
  };
}

export default { render };
