
// On a page without a kernel: a model that keeps its own state, for each stage.

function standIn(state) {
  const heard = {};
  return {
    state, heard,
    get: (name) => state[name],
    set(name, value) {
      const changed = state[name] !== value;
      state[name] = value;
      if (changed) (heard[`change:${name}`] ?? []).forEach((action) => action());
    },
    on: (event, action) => (heard[event] ??= []).push(action),
    off: (event, action) => (heard[event] = heard[event].filter((other) => other !== action)),
    save_changes() {}, // there is nobody to save them for
  };
}

const models = [];
const stop = [...document.querySelectorAll(".lk-model")].map((el) => {
  const data = el.querySelector("script");
  models.push(standIn(JSON.parse(data.textContent)));
  data.remove();
  return render({ model: models.at(-1), el });
});
Object.assign(window, { models, stop }); // for whoever looks at the page from a console
