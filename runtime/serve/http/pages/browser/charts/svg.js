const SVG = 'http://www.w3.org/2000/svg';

/**
 * Creates an element of a drawing. Colors come from classes, so that they follow the theme.
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);
  }
  node.append(...children);
  return node;
}

/** Series beyond this number repeat the colors. */
export const COLOURS = 6;

/**
 * The class with the color, line style and shape of a series.
 * @param {number} at
 */
export const seriesClass = (at) => `series-${(at % COLOURS) + 1}`;

/** Shapes of points, so that series differ without their colors. */
const SHAPES = [
  (/** @type {number} */ x, /** @type {number} */ y) => svg('circle', { cx: x, cy: y, r: 4.5 }),
  (/** @type {number} */ x, /** @type {number} */ y) => svg('path', { d: `M${x - 4} ${y - 4}h8v8h-8z` }),
  (/** @type {number} */ x, /** @type {number} */ y) => svg('path', { d: `M${x} ${y - 5}l5 9h-10z` }),
  (/** @type {number} */ x, /** @type {number} */ y) =>
    svg('path', { d: `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` }),
  (/** @type {number} */ x, /** @type {number} */ y) => svg('path', { d: `M${x} ${y + 5}l5 -9h-10z` }),
  (/** @type {number} */ x, /** @type {number} */ y) =>
    svg('path', { d: `M${x - 5} ${y - 1.5}h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z` }),
];

/**
 * A point of a series.
 * @param {number} at number of the series
 * @param {number} x
 * @param {number} y
 */
export function marker(at, x, y) {
  const node = (SHAPES[at % SHAPES.length] ?? SHAPES[0])?.(x, y) ?? svg('g');
  node.setAttribute('class', `marker ${seriesClass(at)}`);
  return node;
}
