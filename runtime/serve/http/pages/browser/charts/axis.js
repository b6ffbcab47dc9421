/** @import { Scale } from './scale.js' */
import { axisTime, bytes, duration, money, percent, short } from '../format.js';
import { svg } from './svg.js';

/** Space around the drawing. `marginLeft` has the one for the values of the vertical axis. */
export const MARGIN = { top: 10, right: 12, bottom: 26 };
const MIN_LEFT = 56;
/** Widths in pixels: of a character, and between a value and its line. */
const CHARACTER = 7.2;
const GAP = 8;

/**
 * A value with its unit.
 * @param {string} unit `USD`, `ms`, `bytes`, `share` (0 to 1), or a plural, which follows the number
 * @param {number | null | undefined} value
 */
export function valueText(unit, value) {
  if (unit === 'USD') return money(value);
  if (unit === 'ms') return duration(value);
  if (unit === 'bytes') return bytes(value);
  if (unit === 'share') return percent(value);
  if (unit === '' || value === null || value === undefined) return short(value);
  return `${short(value)} ${value === 1 ? unit.replace(/s$/, '') : unit}`;
}

/**
 * A value on an axis, where the unit is repeated only if it is short.
 * @param {string} unit
 * @param {number} value
 */
export const tickText = (unit, value) =>
  unit === 'USD'
    ? money(value).replace(/\.00$/, '')
    : ['ms', 'bytes', 'share'].includes(unit)
      ? valueText(unit, value)
      : short(value);

/**
 * Space for the values of the vertical axis.
 * @param {Scale} y
 * @param {string} unit
 */
export const marginLeft = (y, unit) =>
  Math.max(MIN_LEFT, GAP + CHARACTER * Math.max(...y.ticks.map((tick) => tickText(unit, tick).length)));

/**
 * Horizontal grid lines with the values of the vertical axis.
 * @param {Scale} y
 * @param {number} width
 * @param {string} unit
 */
export function verticalAxis(y, width, unit) {
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

/**
 * The values of the horizontal axis.
 * @param {Scale} x
 * @param {{ width: number, height: number }} size
 * @param {(value: number) => string} text
 */
export const horizontalAxis = (x, { width, height }, text) =>
  x.ticks.map((tick) => {
    const words = text(tick);
    // The last value ends at the edge instead of behind it.
    const middle = Math.min(x.at(tick), width - (CHARACTER * words.length) / 2);
    return svg('text', { class: 'tick', x: middle, y: height - 8, 'text-anchor': 'middle' }, words);
  });

/**
 * How to write the values of an axis: moments, or numbers with a unit.
 * @param {boolean} isTime
 * @param {string} unit
 * @param {number} range
 * @returns {(value: number) => string}
 */
export const axisText = (isTime, unit, range) =>
  isTime ? (value) => axisTime(value, range) : (value) => tickText(unit, value);
