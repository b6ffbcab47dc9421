import { element } from '../dom.js';
import { table } from '../table.js';
import { bar } from './bar.js';

/** Number of rows to show at first; the rest are expandable. */
const SHOWN = 8;

/**
 * A label with its score. The score of a regression model is an unbounded number, so it has no bar.
 * @typedef {{ label: string, score: number, shown: string, hasBar: boolean }} Rank
 */

/**
 * The labels of a text with their scores.
 * @param {readonly Rank[]} ranks the highest score first
 * @param {number} number
 */
export function labelBars(ranks, number) {
  const first = barTable(`Labels of text ${number}`, ranks.slice(0, SHOWN));
  if (ranks.length <= SHOWN) return [first];
  const summary = element('summary', {}, `${ranks.length - SHOWN} more labels`);
  const rest = barTable(`More labels of text ${number}`, ranks.slice(SHOWN));
  return [first, element('details', {}, summary, rest)];
}

/**
 * @param {string} caption
 * @param {readonly Rank[]} ranks
 */
function barTable(caption, ranks) {
  const rows = ranks.map(({ label, score, shown, hasBar }) => [label, hasBar ? bar(score, shown) : shown]);
  return table(caption, ['Label', 'Score'], rows, 'bars');
}
