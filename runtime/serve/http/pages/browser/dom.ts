/**
 * Creates an element. Strings become text nodes, so text from users and models is never parsed as
 * HTML. In `attributes`, `true` sets an empty attribute, and `false` does not set the attribute.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number | boolean> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children);
  return node;
}

/** Returns the page's element with this ID. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return node;
}

/** Passes a number between 0 and 1 to the style sheet as `--share`. */
export function withShare<Type extends HTMLElement>(node: Type, share: number): Type {
  node.style.setProperty('--share', share.toFixed(4));
  return node;
}

/**
 * A region that scrolls horizontally. It is focusable, so that arrow keys can scroll it. Set `role`
 * to `group` on pages with many regions of the same name, because every region is a landmark for
 * screen readers.
 */
export const scrollable = (name: string, content: Node, role: 'region' | 'group' = 'region') =>
  element('div', { class: 'scrollable', role, 'aria-label': name, tabindex: 0 }, content);

/**
 * Shows names, separated by commas. Each name has an element of its own, because names can contain
 * characters that change the text direction.
 */
export const listed = (names: readonly string[] | null | undefined, none = '–'): Node | string =>
  names && names.length > 0
    ? element(
        'span',
        {},
        ...names.flatMap((name, at) => [...(at === 0 ? [] : [', ']), element('span', {}, name)]),
      )
    : none;

/** Shows the parts of a text between backticks as code. */
export const withCode = (text: string): (Node | string)[] =>
  text.split('`').map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));

/** Shows a path or name so that it can be wrapped after punctuation instead of within words. */
export const withBreaks = (text: string): (Node | string)[] =>
  text
    .split(/(?<=[/._:-])(?=\w|\{)/)
    .flatMap((part, at) => (at === 0 ? [part] : [document.createElement('wbr'), part]));
