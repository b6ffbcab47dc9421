/** @import { Scale } from './scale.js' */
import { axisTime, bytes, duration, money, percent, short } from '../format.js';
import { svg } from './svg.js';

/** Space around the drawing. */
export const MARGIN = { top: 10, right: 12, bottom: 26, left: 56 };

/**
 * A value with its unit.
 * @param {string} unit `USD`, `ms`, `bytes`, `share` (0 to 1), or any other, which follows the number
 * @param {number | null | undefined} value
 */
export function valueText(unit, value) {
  if (unit === 'USD') return money(value);
  if (unit === 'ms') return duration(value);
  if (unit === 'bytes') return bytes(value);
  if (unit === 'share') return percent(value);
  return unit === '' || value === null || value === undefined ? short(value) : `${short(value)} ${unit}`;
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
 * Horizontal grid lines with the values of the vertical axis.
 * @param {Scale} y
 * @param {number} width
 * @param {string} unit
 */
export const verticalAxis = (y, width, unit) =>
  y.ticks.flatMap((tick) => [
    svg('line', {
      class: tick === 0 ? 'axis' : 'grid',
      x1: MARGIN.left,
      x2: width - MARGIN.right,
      y1: y.at(tick),
      y2: y.at(tick),
    }),
    svg(
      'text',
      {
        class: 'tick',
        x: MARGIN.left - 8,
        y: y.at(tick),
        'text-anchor': 'end',
        'dominant-baseline': 'middle',
      },
      tickText(unit, tick),
    ),
  ]);

/**
 * The values of the horizontal axis.
 * @param {Scale} x
 * @param {number} height
 * @param {(value: number) => string} text
 */
export const horizontalAxis = (x, height, text) =>
  x.ticks.map((tick) =>
    svg('text', { class: 'tick', x: x.at(tick), y: height - 8, 'text-anchor': 'middle' }, text(tick)),
  );

/**
 * How to write the values of an axis: moments, or numbers with a unit.
 * @param {boolean} isTime
 * @param {string} unit
 * @param {number} range
 * @returns {(value: number) => string}
 */
export const axisText = (isTime, unit, range) =>
  isTime ? (value) => axisTime(value, range) : (value) => tickText(unit, value);
