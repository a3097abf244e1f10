// The stage: shows the scenes that Python drew, one at a time. It needs no kernel to step.
//
// runs: [{title, source, first, parts, scenes}]; several runs step together, side by side. A scene
// is {title, caption, line, span, illustration, svg, alt}: svg and alt are numbers of pieces in
// parts, which many scenes share. Only the joined svg is read as markup, everything else is text.
// Scenes of a recorded program also have some of {kind, quiet, within, differs, reads, gives}.

const PLAY_MS = 2500; // time to read a caption
const LISTED_STEPS = 12; // a longer list would be a wall of buttons: there the slider is enough
const CLOSE_STEPS = 150; // more have no room for gaps between them
const LONG_SOURCE = 24; // lines; a longer program scrolls beside the pictures

export const clamp = (step, count) => Math.max(0, Math.min(step, count - 1));

export const countSteps = (runs) => Math.max(0, ...runs.map((run) => run.scenes.length));

/** A picture or a text out of its pieces. */
export const joined = (run, numbers) => numbers.map((number) => run.parts[number]).join("");

/** How wide the widest picture of a run is, in pixels. */
export const widest = (run) => Math.max(...run.scenes.map((scene) =>
  parseFloat(/ width="([\d.]+)"/.exec(run.parts[scene.svg[0]])?.[1] ?? 0)));

/** What the runs show at a step; a shorter run has nothing to say there. */
export const scenesAt = (runs, step) => runs.map((run) => run.scenes[step]).filter(Boolean);

/** A step's title, from a run that has such a step. */
export function titleAt(runs, step) {
  const scenes = scenesAt(runs, step);
  return (scenes.find((scene) => scene.kind !== "gap") ?? scenes[0])?.title ?? "";
}

/** What the slider says: "Step 2 of 6: the mesh". */
export function stepText(runs, step) {
  const title = titleAt(runs, step);
  return title ? `Step ${step + 1} of ${countSteps(runs)}: ${title}` : "";
}

/** The place a key leads to among the `shown` ones, or null when the key means nothing here. */
export function keyTarget(key, place, shown) {
  const before = shown.findLast((step) => step < place) ?? place;
  const after = shown.find((step) => step > place) ?? place;
  const targets = {
    ArrowLeft: before, ArrowUp: before, ArrowRight: after, ArrowDown: after,
    Home: shown[0], End: shown.at(-1),
  };
  return key in targets && shown.length ? targets[key] : null;
}

/** Whether a step is folded away: in all runs it is quiet, or stands in a fold that is shut. */
export function isFolded(runs, step, { all, opened }) {
  const shut = (fold) => !opened.has(fold);
  return !all && scenesAt(runs, step).every((scene) =>
    scene.kind === "gap" || scene.quiet || scene.within?.some(shut));
}

/** The steps that are not folded away, in order. */
export const shownSteps = (runs, view) =>
  [...Array(countSteps(runs)).keys()].filter((step) => !isFolded(runs, step, view));

/** In how many folds a step stands. */
const depthAt = (runs, step) =>
  Math.max(...scenesAt(runs, step).map((scene) => scene.within?.length ?? 0));

/** The steps at which some run's scene is such. */
export const stepsWhere = (runs, test) =>
  [...Array(countSteps(runs)).keys()].filter((step) => scenesAt(runs, step).some(test));

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
    const texts = [...el.querySelectorAll("text")].map((text) => text.textContent);
    const words = el.querySelector("title")?.textContent ?? texts.join(" ");
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
  const place = keyTarget(key, devices.indexOf(target), [...devices.keys()]);
  if (place === null) return false;
  devices.forEach((el, i) => el.setAttribute("tabindex", i === place ? "0" : "-1"));
  devices[place].focus();
  return true;
}

/** Makes the names of values in a picture buttons, and marks the one that is watched. */
function markValues(picture, watched) {
  for (const el of picture.querySelectorAll("[data-value]")) {
    const own = el.dataset.value === watched;
    el.classList.toggle("lk-watched", own);
    if (!el.classList.contains("lk-named")) continue;
    const about = { tabindex: 0, role: "button", "aria-label": `Watch ${el.dataset.value}` };
    for (const [name, value] of Object.entries(about)) el.setAttribute(name, value);
    el.setAttribute("aria-pressed", own);
  }
}

/** Puts a scene in a picture; a device that had the focus keeps it in the new picture. */
function drawScene(picture, run, scene, watched) {
  const inside = picture.contains(document.activeElement);
  const focused = inside ? document.activeElement.dataset.device : null;
  const svg = drawing(joined(run, scene.svg));
  svg.removeAttribute("aria-label"); // the words beside it can be read line by line
  svg.setAttribute("role", "none");
  picture.replaceChildren(svg, make("pre", { class: "lk-heard" }, joined(run, scene.alt)));
  light(picture, null);
  markValues(picture, watched);
  const again = reachDevices(picture).find((el) => el.dataset.device === focused);
  if (inside) (again ?? picture.closest(".lk-stage")).focus({ preventScroll: true });
}

/** The program, with the line of a step marked, and in it the part that is meant. */
function makeSource(run) {
  const lines = run.source.split("\n");
  const codes = lines.map((line) => make("code", {}, line));
  const items = codes.map((code) => make("li", {}, code));
  const long = lines.length > LONG_SOURCE;
  const el = make("ol", { class: `lk-source${long ? " lk-long" : ""}`, "aria-label": "Program",
    style: `counter-reset: line ${(run.first ?? 1) - 1}`, ...(long && { tabindex: 0 }) }, ...items);
  let marked = null;
  const show = ({ line, span = [0, 0] }) => {
    if (marked !== null) {
      items[marked].removeAttribute("aria-current");
      codes[marked].textContent = lines[marked];
    }
    marked = line ? line - 1 : null;
    if (marked === null) return;
    const [start, end] = span;
    const text = lines[marked];
    items[marked].setAttribute("aria-current", "true");
    if (end > start) {
      codes[marked].replaceChildren(
        text.slice(0, start), make("mark", {}, text.slice(start, end)), text.slice(end));
    }
    if (long) el.scrollTop = items[marked].offsetTop - el.clientHeight / 2;
  };
  return { el, show };
}

/** One run's column: caption, picture and program. */
function makeColumn(run, signal) {
  const picture = make("div", { class: "lk-scene" });
  const label = make("span", { class: "lk-illustration" }, "illustration");
  const caption = make("p", { class: "lk-caption", role: "status" });
  const source = makeSource(run);
  // the program stands beside the pictures in all steps or in none
  const el = make("section", { class: "lk-run", style: `--lk-wide: ${widest(run)}px` });
  if (run.title) el.append(make("h4", { class: "lk-run-title" }, run.title));
  el.append(caption, picture, ...(run.source ? [source.el] : []));
  linkOnPointerAndFocus(picture, signal);
  const show = (step, watched) => {
    const scene = run.scenes[clamp(step, run.scenes.length)];
    drawScene(picture, run, scene, watched);
    caption.replaceChildren(...(scene.illustration ? [label, " "] : []), scene.caption);
    source.show(scene);
  };
  const watch = (watched) => markValues(picture, watched);
  return { el, show, watch };
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
  const back = makeButton("Back", () => moves.key("ArrowLeft"), signal);
  const next = makeButton("Next", () => moves.key("ArrowRight"), signal);
  const play = makeButton("Play", moves.play, signal);
  const slider = make("input", { type: "range", min: 0, "aria-label": "Step" });
  slider.addEventListener("input", () => moves.go(Number(slider.value)), { signal });
  const show = (runs, step, playing) => {
    const shown = moves.view.shown;
    back.setAttribute("aria-disabled", !(step > shown[0]));
    next.setAttribute("aria-disabled", !(step < shown.at(-1)));
    play.setAttribute("aria-disabled", shown.length < 2);
    play.textContent = playing ? "Pause" : "Play";
    slider.max = Math.max(0, countSteps(runs) - 1);
    slider.value = step;
    slider.setAttribute("aria-valuetext", stepText(runs, step));
  };
  return { el: make("div", { class: "lk-bar" }, back, next, play, slider), show };
}

/** The titles of all steps that are shown, each a button; of very many only the current title. */
function makeSteps(moves, signal) {
  const el = make("ol", { class: "lk-steps", "aria-label": "Steps" });
  let listed = null;
  let buttons = new Map();
  const item = (runs, step) => {
    const button = makeButton(titleAt(runs, step), () => moves.go(step), signal);
    button.dataset.number = step + 1;
    buttons.set(step, button);
    return make("li", {}, button);
  };
  const list = (runs, shown) => {
    listed = shown;
    buttons = new Map();
    const few = shown.length <= LISTED_STEPS ? shown : [];
    el.replaceChildren(...few.map((step) => item(runs, step)));
  };
  const show = (runs, step) => {
    const shown = moves.view.shown;
    if (shown !== listed) list(runs, shown);
    for (const [at, button] of buttons) {
      if (at === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    const now = make("li", { class: "lk-now" }, stepText(runs, step));
    if (shown.length > LISTED_STEPS) el.replaceChildren(now);
  };
  return { el, show };
}

/** All steps of a recorded program in one strip: collectives stand out, folds are brackets. */
function makeStrip(moves, signal) {
  const ticks = make("div", { class: "lk-ticks" });
  const folds = make("div", { class: "lk-folds" });
  const el = make("div", { class: "lk-strip", role: "slider", tabindex: 0, "aria-label": "Overview" },
    ticks, folds);
  let current = null;
  el.addEventListener("click", (event) => {
    const at = event.target.closest("[data-at]")?.dataset.at;
    if (at !== undefined) moves.go(Number(at));
  }, { signal });
  const tick = (runs, step) => {
    const scenes = scenesAt(runs, step);
    const is = (test, css) => (scenes.some(test) ? ` ${css}` : "");
    const css = "lk-tick" + is((s) => s.kind === "collective", "lk-collective")
      + is((s) => s.kind === "fold", "lk-fold") + is((s) => s.differs, "lk-parted")
      + (scenes.every((s) => s.quiet) ? " lk-quiet" : "");
    return make("i", { class: css, "data-at": step, title: `${step + 1} ${titleAt(runs, step)}` });
  };
  const bracket = (runs, fold, count) => {
    const last = stepsWhere(runs, (scene) => scene.within?.includes(fold)).at(-1) ?? fold;
    const depth = depthAt(runs, fold);
    const place = `left: ${100 * fold / count}%; width: ${100 * (last - fold + 1) / count}%;`;
    return make("b", { class: "lk-bracket", "data-at": fold, style: `${place} top: ${depth * 14}px` },
      titleAt(runs, fold));
  };
  const build = (runs) => {
    const count = countSteps(runs);
    const heads = stepsWhere(runs, (scene) => scene.kind === "fold");
    const deep = Math.max(0, ...heads.map((fold) => 1 + depthAt(runs, fold)));
    el.hidden = !moves.view.recorded;
    ticks.replaceChildren(...(el.hidden ? [] : [...Array(count).keys()].map((i) => tick(runs, i))));
    folds.replaceChildren(...heads.map((fold) => bracket(runs, fold, count)));
    folds.style.height = `${14 * deep}px`;
    ticks.classList.toggle("lk-close", count > CLOSE_STEPS);
    el.setAttribute("aria-valuemin", 1);
    el.setAttribute("aria-valuemax", count);
    current = null;
  };
  const show = (runs, step) => {
    if (el.hidden) return;
    current?.classList.remove("lk-here");
    current = ticks.children[step];
    current?.classList.add("lk-here");
    el.setAttribute("aria-valuenow", step + 1);
    el.setAttribute("aria-valuetext", stepText(runs, step));
  };
  const refresh = (runs, view) => {
    [...ticks.children].forEach((el, step) => {
      const scenes = scenesAt(runs, step);
      el.classList.toggle("lk-folded", isFolded(runs, step, view));
      el.classList.toggle("lk-made", scenes.some((s) => s.gives?.includes(view.watched)));
      el.classList.toggle("lk-read", scenes.some((s) => s.reads?.includes(view.watched)));
    });
  };
  return { el, build, show, refresh };
}

/** What a recorded program has besides: folds, collectives, a watched value, where runs part. */
function makeTools(moves, signal) {
  const button = (words, key) => {
    const el = makeButton(words, () => moves.key(key), signal);
    el.title = `key ${key}`;
    return el;
  };
  const collectives = [button("◂ collective", "C"), button("collective ▸", "c")];
  const fold = button("Unfold", "f");
  const every = button("All steps", "a");
  const parted = button("First difference", "d");
  const watching = make("span", { class: "lk-watching", role: "status" });
  const around = [button("◂", "V"), button("▸", "v"), button("×", "Escape")];
  ["Previous collective", "Next collective"].forEach((words, i) =>
    collectives[i].setAttribute("aria-label", words));
  ["Previous step with it", "Next step with it", "Stop watching"].forEach((words, i) =>
    around[i].setAttribute("aria-label", words));
  const watch = make("span", { class: "lk-watch" }, watching, ...around);
  const hint = make("span", { class: "lk-hint" }, "Click a value to follow it.");
  const el = make("div", { class: "lk-tools" }, ...collectives, fold, every, parted, watch, hint);
  const show = (runs, step, view) => {
    el.hidden = !view.recorded;
    if (el.hidden) return;
    const shut = view.foldAt(step);
    collectives.forEach((one) => { one.hidden = !view.collectives.length; });
    fold.hidden = !view.foldable;
    fold.setAttribute("aria-disabled", shut === null);
    fold.textContent = view.opened.has(shut) ? "Fold" : "Unfold";
    every.hidden = !view.all && view.shown.length === countSteps(runs);
    every.setAttribute("aria-pressed", view.all);
    parted.hidden = !view.parted.length;
    watch.hidden = view.watched === null;
    hint.hidden = !watch.hidden;
    watching.textContent = watch.hidden ? "" : watchedText(runs, view.watched);
    const { activeElement } = document; // a button that goes must not take the keys along
    if (el.contains(activeElement) && activeElement.closest("[hidden]")) el.closest(".lk-stage").focus();
  };
  return { el, show };
}

/** "v7: made in step 5, read in 6, 9". */
export function watchedText(runs, name) {
  const at = (kind) => stepsWhere(runs, (scene) => scene[kind]?.includes(name)).map((i) => i + 1);
  const [made, read] = [at("gives"), at("reads")];
  const told = [made.length && `made in step ${made.join(", ")}`,
    read.length && `read in ${read.slice(0, 8).join(", ")}${read.length > 8 ? " …" : ""}`];
  return `${name}: ${told.filter(Boolean).join(", ")}`;
}

/** What of a recorded program is shown: folds, the watched value, and where what stands. */
function makeView(runs) {
  const view = { all: false, opened: new Set(), watched: null, shown: [] };
  view.refold = () => { view.shown = shownSteps(runs(), view); };
  view.renew = () => {
    Object.assign(view, { all: false, opened: new Set(), watched: null });
    view.recorded = stepsWhere(runs(), (scene) => scene.kind).length > 0;
    view.foldable = stepsWhere(runs(), (scene) => scene.kind === "fold").length > 0;
    view.collectives = stepsWhere(runs(), (scene) => scene.kind === "collective");
    view.parted = stepsWhere(runs(), (scene) => scene.differs);
    view.refold();
  };
  /** Unfolds what a step stands in; true when that changed anything. */
  view.reveal = (step) => {
    const shut = scenesAt(runs(), step).flatMap((scene) => scene.within ?? [])
      .filter((fold) => !view.opened.has(fold));
    shut.forEach((fold) => view.opened.add(fold));
    return shut.length > 0;
  };
  /** The fold that opens or shuts at a step: the step itself, or the innermost around it. */
  view.foldAt = (step) => {
    const scenes = scenesAt(runs(), step);
    if (scenes.some((scene) => scene.kind === "fold")) return step;
    return scenes.flatMap((scene) => scene.within ?? []).at(-1) ?? null;
  };
  view.withWatched = () => stepsWhere(runs(), (scene) =>
    [...(scene.gives ?? []), ...(scene.reads ?? [])].includes(view.watched));
  return view;
}

/** Moving from step to step: by hand, by key, or by the clock; folding and watching. */
function makeMoves(model, changed) {
  const runs = () => model.get("runs");
  const place = () => clamp(model.get("step"), countSteps(runs()));
  const view = makeView(runs);
  let timer = null;
  const put = (step) => {
    model.set("step", step);
    model.save_changes();
  };
  const refold = () => {
    view.refold();
    changed();
  };
  const stop = () => {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    changed();
  };
  const tick = () => {
    put(keyTarget("ArrowRight", place(), view.shown));
    if (place() >= view.shown.at(-1)) stop();
  };
  const play = () => {
    if (timer !== null) return stop();
    if (place() >= view.shown.at(-1)) put(view.shown[0]);
    timer = setInterval(tick, PLAY_MS);
    changed();
  };
  const go = (step) => {
    stop();
    if (view.reveal(step)) refold();
    put(step);
  };
  const among = (steps, key) => {
    const step = keyTarget(key, place(), steps);
    if (step !== null) go(step);
    return step !== null;
  };
  const watch = (name) => {
    view.watched = view.watched === name ? null : name;
    changed();
  };
  const toggleFold = () => {
    const fold = view.foldAt(place());
    if (fold === null) return;
    if (view.opened.delete(fold)) put(fold);
    else view.opened.add(fold);
    refold();
  };
  const actions = {
    c: () => among(view.collectives, "ArrowRight"),
    C: () => among(view.collectives, "ArrowLeft"),
    v: () => among(view.withWatched(), "ArrowRight"),
    V: () => among(view.withWatched(), "ArrowLeft"),
    d: () => among(view.parted, "Home"),
    f: toggleFold,
    a: () => {
      view.all = !view.all;
      refold();
    },
    Escape: () => watch(view.watched),
  };
  const act = (key) => view.recorded && key in actions && (actions[key](), true);
  const key = (name) => among(view.shown, name) || act(name);
  return { place, go, key, play, stop, watch, view, playing: () => timer !== null };
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
  const named = (target) => target.closest(".lk-scene [data-value]")?.dataset.value;
  root.addEventListener("keydown", (event) => {
    keepKey(event);
    const { target, key } = event;
    if (!isBare(event) || target.type === "range") return;
    const chosen = ["Enter", " "].includes(key) && named(target);
    if (chosen) moves.watch(chosen);
    if (chosen || walkDevices(target, key) || moves.key(key)) {
      event.preventDefault();
    }
  }, { signal });
  root.addEventListener("click", ({ target }) => {
    if (named(target)) moves.watch(named(target));
  }, { signal });
}

/** What stands around the pictures: controls, status and the band that says not to trust them. */
function makeFrame(model, changed, signal) {
  const moves = makeMoves(model, changed);
  const [bar, strip, steps, tools] =
    [makeBar, makeStrip, makeSteps, makeTools].map((make) => make(moves, signal));
  const status = make("p", { class: "lk-status", role: "status" });
  const why = make("p", { class: "lk-why", role: "status" });
  const board = make("div", { class: "lk-board" });
  const root = make("section", { class: "lk-stage", tabindex: 0, "aria-label": "Stage" },
    bar.el, strip.el, tools.el, steps.el, why, board);
  bar.el.append(status);
  const showMoves = () => {
    const [runs, step] = [model.get("runs"), moves.place()];
    root.dataset.step = step;
    bar.show(runs, step, moves.playing());
    strip.show(runs, step);
    steps.show(runs, step);
    tools.show(runs, step, moves.view);
  };
  const build = () => {
    moves.view.renew();
    strip.build(model.get("runs"));
    bar.el.querySelector("input").hidden = !strip.el.hidden; // the strip is a slider, too
  };
  const tell = () => {
    status.textContent = model.get("status") ?? "";
    why.textContent = model.get("why") ? `not to be trusted: ${model.get("why")}` : "";
    root.setAttribute("aria-busy", Boolean(model.get("busy")));
  };
  const refresh = () => strip.refresh(model.get("runs"), moves.view);
  onKeys(root, moves, signal);
  return { root, board, moves, build, showMoves, refresh, tell };
}

function render({ model, el }) {
  const life = new AbortController();
  let columns = [];
  const changed = () => {
    frame.refresh();
    frame.showMoves();
    columns.forEach((column) => column.watch(frame.moves.view.watched));
  };
  const frame = makeFrame(model, changed, life.signal);
  const show = () => {
    frame.showMoves();
    columns.forEach((column) => column.show(frame.moves.place(), frame.moves.view.watched));
  };
  const rebuild = () => {
    frame.build();
    columns = model.get("runs").map((run) => makeColumn(run, life.signal));
    frame.board.replaceChildren(...columns.map((column) => column.el));
    frame.board.classList.toggle("lk-side-by-side", columns.length > 1);
    frame.refresh();
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
    life.abort();
    frame.moves.stop();
    frame.root.remove();
  };
}

export default { render };
