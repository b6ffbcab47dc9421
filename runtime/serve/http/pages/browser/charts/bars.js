/** @import { Drawing } from './figure.js' */
import { MARGIN, tickText, valueText } from './axis.js';
import { linearScale } from './scale.js';
import { seriesClass, svg } from './svg.js';

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number} [value]
 * @property {number} [low] lower end of the interval
 * @property {number} [high]
 * @property {readonly { name: string, value: number }[]} [parts] of a stacked bar, instead of the value
 */

const ROW = 32;

/**
 * Horizontal bars, because names are longer than numbers.
 * @param {readonly Bar[]} bars
 * @param {readonly string[]} partNames
 * @param {string} unit
 * @param {number} width
 * @returns {Drawing}
 */
export function drawBars(bars, partNames, unit, width) {
  const nameWidth = Math.min(width * 0.35, 12 + 7.2 * Math.max(...bars.map(({ name }) => name.length), 4));
  const height = bars.length * ROW + MARGIN.bottom;
  const ends = bars.flatMap((bar) => [totalOf(bar), bar.low ?? 0, bar.high ?? 0]);
  const x = linearScale(ends, [nameWidth, width - 64], {
    ticks: Math.max(2, Math.floor(width / 160)),
    fromZero: true,
  });
  const grid = x.ticks.flatMap((tick) => [
    svg('line', {
      class: tick === 0 ? 'axis' : 'grid',
      x1: x.at(tick),
      x2: x.at(tick),
      y1: 0,
      y2: height - MARGIN.bottom + 4,
    }),
    svg(
      'text',
      { class: 'tick', x: x.at(tick), y: height - 8, 'text-anchor': 'middle' },
      tickText(unit, tick),
    ),
  ]);
  const rows = bars.flatMap((bar, at) => [
    svg(
      'text',
      {
        class: 'bar-name',
        x: nameWidth - 10,
        y: at * ROW + ROW / 2,
        'text-anchor': 'end',
        'dominant-baseline': 'middle',
      },
      shortened(bar.name, nameWidth),
    ),
    ...boxes(bar, partNames, (value) => x.at(value), at * ROW + 6),
    ...interval(bar, (value) => x.at(value), at * ROW + ROW / 2),
    svg(
      'text',
      {
        class: 'bar-value',
        x: Math.max(x.at(totalOf(bar)), x.at(bar.high ?? 0)) + 6,
        y: at * ROW + ROW / 2,
        'dominant-baseline': 'middle',
      },
      valueText(unit, totalOf(bar)),
    ),
  ]);
  return {
    node: svg('svg', { class: 'plot', width, height }, ...grid, ...rows),
    stops: bars.map((bar, at) => ({
      x: x.at(totalOf(bar)),
      y: at * ROW + ROW / 2,
      words: () => barText(bar, unit),
    })),
  };
}

/** @param {Bar} bar */
export const totalOf = ({ value, parts = [] }) => value ?? parts.reduce((sum, part) => sum + part.value, 0);

/**
 * @param {Bar} bar
 * @param {string} unit
 */
export function barText(bar, unit) {
  const range =
    bar.low === undefined || bar.high === undefined
      ? ''
      : ` (${valueText(unit, bar.low)} to ${valueText(unit, bar.high)})`;
  const parts = bar.parts
    ? `: ${bar.parts.map(({ name, value }) => `${name} ${valueText(unit, value)}`).join(', ')}`
    : '';
  return `${bar.name} ${valueText(unit, totalOf(bar))}${range}${parts}`;
}

/**
 * @param {Bar} bar
 * @param {readonly string[]} partNames
 * @param {(value: number) => number} x
 * @param {number} top
 */
function boxes({ value, parts }, partNames, x, top) {
  let start = 0;
  return (parts ?? [{ name: partNames[0] ?? '', value: value ?? 0 }]).map((part) => {
    const [left, right] = [x(start), x(start + part.value)].sort((one, other) => one - other);
    start += part.value;
    const at = Math.max(0, partNames.indexOf(part.name));
    return svg('rect', {
      class: `bar ${seriesClass(at)}`,
      x: left ?? 0,
      y: top,
      width: Math.max(1, (right ?? 0) - (left ?? 0)),
      height: ROW - 12,
    });
  });
}

/**
 * @param {Bar} bar
 * @param {(value: number) => number} x
 * @param {number} y
 */
const interval = ({ low, high }, x, y) =>
  low === undefined || high === undefined
    ? []
    : [
        svg('path', {
          class: 'interval',
          d: `M${x(low)} ${y - 5}v10M${x(low)} ${y}H${x(high)}M${x(high)} ${y - 5}v10`,
        }),
      ];

/**
 * @param {string} name
 * @param {number} width
 */
const shortened = (name, width) => {
  // Rounding must not cost the last letter of the longest name.
  const fits = Math.floor((width - 12) / 7.2 + 0.01);
  return name.length <= fits ? name : `${name.slice(0, Math.max(1, fits - 1))}…`;
};
