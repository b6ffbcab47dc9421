import { element } from '../dom.ts';

let lists = 0;

interface TabsOptions {
  readonly name: string;
  readonly tabs: readonly string[];
  readonly selected?: string;
  readonly panel: HTMLElement;
  readonly onSelect: (tab: string) => void;
}

/**
 * A row of tabs that share one panel. Arrow keys select a tab, as in the tabs pattern of the ARIA
 * authoring practices.
 */
export function tabs({ name, tabs: names, selected = names[0] ?? '', panel, onSelect }: TabsOptions) {
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
  const select = (at: number) => {
    for (const [other, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(other === at));
      button.tabIndex = other === at ? 0 : -1;
    }
  };
  select(Math.max(0, names.indexOf(selected)));
  const bar = element('div', { class: 'tabs', role: 'tablist', 'aria-label': name }, ...buttons);
  const choose = (at: number) => {
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
