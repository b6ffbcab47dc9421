/** @import { Series } from '../charts/lines.js' */

/**
 * Points of a line.
 * @param {readonly any[]} points of the API
 * @param {(point: any) => number | null} valueOf
 * @returns {Series['points']}
 */
export const seriesOf = (points, valueOf) => points.map((point) => [Date.parse(point.start), valueOf(point)]);

/**
 * The groups of an answer as series, and one for all others.
 * @param {any} trend answer of `/v1/usage/spending`
 * @param {string} member
 * @param {(group: string | null) => string} [nameOf]
 * @returns {Series[]}
 */
export const stackOf = ({ groups, others }, member, nameOf = (group) => group ?? 'None') => [
  ...groups.map((/** @type {any} */ one) => ({
    name: nameOf(one.group),
    points: seriesOf(one.points, (point) => point[member]),
  })),
  ...(others ? [{ name: 'Others', points: seriesOf(others.points, (point) => point[member]) }] : []),
];
