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
 * Labels with their scores as bars.
 * @param {readonly Rank[]} ranks
 * @param {string} owner what has the labels, as `text 1`
 * @param {string} [label]
 */
export function bars(ranks, owner, label = 'Label') {
  const labels = `${label}s`;
  const first = barTable(`${labels} of ${owner}`, label, ranks.slice(0, SHOWN));
  if (ranks.length <= SHOWN) return [first];
  const summary = element('summary', {}, `${ranks.length - SHOWN} more ${labels.toLowerCase()}`);
  const rest = barTable(`More ${labels.toLowerCase()} of ${owner}`, label, ranks.slice(SHOWN));
  return [first, element('details', {}, summary, rest)];
}

/**
 * @param {string} caption
 * @param {string} heading
 * @param {readonly Rank[]} ranks
 */
function barTable(caption, heading, ranks) {
  const rows = ranks.map(({ label, score, shown, hasBar }) => [label, hasBar ? bar(score, shown) : shown]);
  return table(caption, [heading, 'Score'], rows, 'bars');
}
