import { element } from '../dom.js';

let lists = 0;

/**
 * A row of tabs that share one panel. Arrow keys select, as in the tabs pattern of the ARIA authoring practices.
 * @param {object} options
 * @param {string} options.name
 * @param {readonly string[]} options.tabs
 * @param {string} [options.selected]
 * @param {HTMLElement} options.panel
 * @param {(tab: string) => void} options.onSelect
 */
export function tabs({ name, tabs: names, selected = names[0] ?? '', panel, onSelect }) {
  const list = ++lists;
  panel.id = `panel-${list}`;
  panel.setAttribute('role', 'tabpanel');
  const buttons = names.map((one, at) =>
    element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${list}-${at}`, 'aria-controls': panel.id },
      one,
    ),
  );
  const select = (/** @type {number} */ at) => {
    for (const [other, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(other === at));
      button.tabIndex = other === at ? 0 : -1;
    }
  };
  select(Math.max(0, names.indexOf(selected)));
  const bar = element('div', { class: 'tabs', role: 'tablist', 'aria-label': name }, ...buttons);
  const choose = (/** @type {number} */ at) => {
    select(at);
    onSelect(names[at] ?? '');
  };
  for (const [at, button] of buttons.entries()) button.addEventListener('click', () => choose(at));
  bar.addEventListener('keydown', (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const last = buttons.length - 1;
    const next = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
    buttons[next]?.focus();
  });
  return bar;
}
