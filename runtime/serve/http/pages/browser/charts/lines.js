/** @import { Drawing, Stop } from './figure.js' */
/** @import { Scale } from './scale.js' */
import { axisText, horizontalAxis, MARGIN, marginLeft, valueText, verticalAxis } from './axis.js';
import { linearScale, timeScale } from './scale.js';
import { marker, seriesClass, svg } from './svg.js';

/**
 * @typedef {readonly [x: number, y: number | null]} Point a value of null interrupts the line
 * @typedef {{ name: string, points: readonly Point[] }} Series
 */

export const HEIGHT = 220;

/**
 * @typedef {object} PlotOptions
 * @property {readonly Series[]} series
 * @property {string} unit
 * @property {boolean} time
 * @property {string} [xUnit]
 * @property {readonly Point[]} [reference] a dashed line to compare with
 */

/**
 * Lines over a horizontal axis of moments or numbers.
 * @param {PlotOptions} options
 * @param {number} width
 * @returns {Drawing}
 */
export function drawLines({ series, unit, time, xUnit = '', reference = [] }, width) {
  const xs = [...series.flatMap(({ points }) => points), ...reference].map(([x]) => x);
  const ys = [...series.flatMap(({ points }) => points), ...reference].map(([, y]) => y ?? Number.NaN);
  const y = linearScale(ys, [HEIGHT - MARGIN.bottom, MARGIN.top], { ticks: 4, fromZero: true });
  const { x, axis } = horizontal(xs, [marginLeft(y, unit), width], time, xUnit);
  const lines = series.flatMap(({ points }, at) => [
    svg('path', { class: `line ${seriesClass(at)}`, d: pathOf(thinned(points, width), x, y) }),
    ...(points.length <= 30
      ? points.flatMap(([px, py]) => (py === null ? [] : [marker(at, x.at(px), y.at(py))]))
      : []),
  ]);
  const compared =
    reference.length === 0 ? [] : [svg('path', { class: 'reference', d: pathOf(reference, x, y) })];
  return {
    node: svg(
      'svg',
      { class: 'plot', width, height: HEIGHT },
      ...verticalAxis(y, width, unit),
      ...axis,
      ...compared,
      ...lines,
    ),
    stops: stopsOf(series, x, unit, time, xUnit),
  };
}

/**
 * The horizontal axis: its scale and its drawing.
 * @param {readonly number[]} xs
 * @param {readonly [left: number, width: number]} place
 * @param {boolean} time
 * @param {string} unit
 */
export function horizontal(xs, [left, width], time, unit) {
  /** @type {readonly [number, number]} */
  const range = [left, width - MARGIN.right];
  const ticks = Math.max(2, Math.floor((width - left) / 80));
  const x = time ? timeScale(xs, range, ticks) : linearScale(xs, range, { ticks, isExact: true });
  return { x, axis: horizontalAxis(x, { width, height: HEIGHT }, axisText(time, unit, x.max - x.min)) };
}

/**
 * The values of all series at each place of the horizontal axis.
 * @param {readonly Series[]} series
 * @param {Scale} x
 * @param {string} unit
 * @param {boolean} time
 * @param {string} xUnit
 * @returns {Stop[]}
 */
export function stopsOf(series, x, unit, time, xUnit) {
  const places = placesOf(series);
  const values = series.map(({ points }) => new Map(points));
  return places.map((at) => ({
    x: x.at(at),
    y: 0,
    words() {
      const known = series.flatMap(({ name }, place) => {
        const value = values[place]?.get(at);
        return value === undefined || value === null ? [] : [`${name} ${valueText(unit, value)}`];
      });
      return `${placeText(at, time, xUnit)}: ${known.join(', ')}`;
    },
  }));
}

/**
 * The places of the horizontal axis that have a point, in order.
 * @param {readonly Series[]} series
 */
export const placesOf = (series) =>
  [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((one, other) => one - other);

const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/**
 * @param {number} at
 * @param {boolean} time
 * @param {string} unit
 */
export const placeText = (at, time, unit) => (time ? MOMENT.format(at) : valueText(unit, at));

/**
 * @param {readonly Point[]} points
 * @param {Scale} x
 * @param {Scale} y
 */
function pathOf(points, x, y) {
  let isDrawing = false;
  return points
    .map(([px, py]) => {
      if (py === null) {
        isDrawing = false;
        return '';
      }
      const command = isDrawing ? 'L' : 'M';
      isDrawing = true;
      return `${command}${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
    })
    .join('');
}

/**
 * Of many points, the smallest and largest of each pixel: the line looks the same.
 * @param {readonly Point[]} points
 * @param {number} width
 * @returns {readonly Point[]}
 */
function thinned(points, width) {
  if (points.length <= width * 2) return points;
  const size = Math.ceil(points.length / width);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size),
  ).flatMap((part) => {
    const known = part
      .filter(([, y]) => y !== null)
      .sort(([, one], [, other]) => Number(one) - Number(other));
    const ends = [known[0], known.at(-1)].filter((point) => point !== undefined);
    return ends.sort(([one], [other]) => one - other);
  });
}
