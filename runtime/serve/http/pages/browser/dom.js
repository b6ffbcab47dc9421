/**
 * Creates an element. Strings become text nodes, so text from users and models is never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean>} [attributes] `true` sets an empty attribute, `false` none
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children);
  return node;
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function byId(id, type) {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return node;
}

/**
 * Passes a number between 0 and 1 to the style sheet as `--share`.
 * @template {HTMLElement} Type
 * @param {Type} node
 * @param {number} share
 * @returns {Type}
 */
export function withShare(node, share) {
  node.style.setProperty('--share', share.toFixed(4));
  return node;
}

/**
 * A region that scrolls horizontally; it is focusable, so that arrow keys can scroll it.
 * @param {string} name
 * @param {Node} content
 * @param {'region' | 'group'} [role] `group` where a page has many with the same name, because each region is a landmark
 */
export const scrollable = (name, content, role = 'region') =>
  element('div', { class: 'scrollable', role, 'aria-label': name, tabindex: 0 }, content);

/**
 * Names, separated by commas. Each one is an element, because a name can have characters that change the direction of what follows.
 * @param {readonly string[] | null | undefined} names
 * @param {string} [none]
 * @returns {Node | string}
 */
export const listed = (names, none = '–') =>
  names && names.length > 0
    ? element(
        'span',
        {},
        ...names.flatMap((name, at) => [...(at === 0 ? [] : [', ']), element('span', {}, name)]),
      )
    : none;

/**
 * A path or a name that lines can break after its punctuation, instead of within its words.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export const withBreaks = (text) =>
  text
    .split(/(?<=[/._:-])(?=\w|\{)/)
    .flatMap((part, at) => (at === 0 ? [part] : [document.createElement('wbr'), part]));
