import type { Scale } from './scale.ts';
import { axisTime, bytes, duration, money, percent, short } from '../format.ts';

/** Space around the drawing. `marginLeft` is the space for the labels of the vertical axis. */
export const MARGIN = { top: 10, right: 12, bottom: 26 };
const MIN_LEFT = 56;
/** Widths in pixels: the width of a character, and the distance between a label and its grid line. */
const CHARACTER = 7.2;
const GAP = 8;

/**
 * A value with its unit. `unit`: `USD`, `ms`, `bytes`, `share` (0 to 1), or a plural noun, which
 * follows the number.
 */
export function valueText(unit: string, value: number | null | undefined) {
  if (unit === 'USD') return money(value);
  if (unit === 'ms') return duration(value);
  if (unit === 'bytes') return bytes(value);
  if (unit === 'share') return percent(value);
  if (unit === '' || value === null || value === undefined) return short(value);
  return `${short(value)} ${value === 1 ? unit.replace(/s$/, '') : unit}`;
}

/** Formats a value on an axis. The unit is only included if it is short. */
export const tickText = (unit: string, value: number) =>
  unit === 'USD'
    ? money(value).replace(/\.00$/, '')
    : ['ms', 'bytes', 'share'].includes(unit)
      ? valueText(unit, value)
      : short(value);

/** Returns the space required for the labels of the vertical axis. */
export const marginLeft = (y: Scale, unit: string) =>
  Math.max(MIN_LEFT, GAP + CHARACTER * Math.max(...y.ticks.map((tick) => tickText(unit, tick).length)));

/** Draws horizontal grid lines with the labels of the vertical axis. */
export function verticalAxis(y: Scale, width: number, unit: string) {
  const left = marginLeft(y, unit);
  return y.ticks.flatMap((tick) => [
    svg('line', {
      class: tick === 0 ? 'axis' : 'grid',
      x1: left,
      x2: width - MARGIN.right,
      y1: y.at(tick),
      y2: y.at(tick),
    }),
    svg(
      'text',
      {
        class: 'tick',
        x: left - GAP,
        y: y.at(tick),
        'text-anchor': 'end',
        'dominant-baseline': 'middle',
      },
      tickText(unit, tick),
    ),
  ]);
}

/** Draws the labels of the horizontal axis. */
export const horizontalAxis = (
  x: Scale,
  { width, height }: { width: number; height: number },
  text: (value: number) => string,
) =>
  x.ticks.map((tick) => {
    const words = text(tick);
    // The last label is aligned so that it does not extend beyond the edge.
    const middle = Math.min(x.at(tick), width - (CHARACTER * words.length) / 2);
    return svg('text', { class: 'tick', x: middle, y: height - 8, 'text-anchor': 'middle' }, words);
  });

/**
 * Whether the values of an axis are timestamps in milliseconds: `true` in the browser's time zone, or the name
 * of a time zone.
 */
export type TimeAxis = boolean | string;

export const zoneOf = (time: TimeAxis) => (typeof time === 'string' ? time : undefined);

/** How to format the values of an axis: timestamps, or numbers with a unit. */
export const axisText = (time: TimeAxis, unit: string, range: number): ((value: number) => string) =>
  time === false ? (value) => tickText(unit, value) : (value) => axisTime(value, range, zoneOf(time));

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element. Colors come from classes, so that they follow the theme. */
export function svg(
  tag: string,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);
  }
  node.append(...children);
  return node;
}

/** Number of colors. If there are more series, colors are reused. */
const COLOURS = 6;

/** The class that defines a series' color, line style and point shape. */
export const seriesClass = (at: number) => `series-${(at % COLOURS) + 1}`;

/** Shapes of points, so that series can be distinguished without colors. */
const SHAPES = [
  (x: number, y: number) => svg('circle', { cx: x, cy: y, r: 4.5 }),
  (x: number, y: number) => svg('path', { d: `M${x - 4} ${y - 4}h8v8h-8z` }),
  (x: number, y: number) => svg('path', { d: `M${x} ${y - 5}l5 9h-10z` }),
  (x: number, y: number) => svg('path', { d: `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` }),
  (x: number, y: number) => svg('path', { d: `M${x} ${y + 5}l5 -9h-10z` }),
  (x: number, y: number) =>
    svg('path', { d: `M${x - 5} ${y - 1.5}h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z` }),
];

/** Draws a point of a series. `at` is the index of the series. */
export function marker(at: number, x: number, y: number) {
  const node = (SHAPES[at % SHAPES.length] ?? SHAPES[0])?.(x, y) ?? svg('g');
  node.setAttribute('class', `marker ${seriesClass(at)}`);
  return node;
}
