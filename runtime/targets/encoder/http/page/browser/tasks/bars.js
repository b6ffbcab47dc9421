import { element } from '../dom.js';
import { table } from '../table.js';
import { bar } from './bar.js';

/** Number of rows to show at first; the rest are expandable. */
const SHOWN = 8;

/**
 * A label with its score. The score of a regression model is an unbounded number, so it has no bar.
 * @typedef {object} Rank
 * @property {string} label
 * @property {number} score
 * @property {string} shown
 * @property {boolean} hasBar
 * @property {boolean} [isChosen] whether it is a result; default: only the first one is
 */

/**
 * Labels with their scores as bars.
 * @param {readonly Rank[]} ranks
 * @param {string} owner what has the labels, as `text 1`
 * @param {string} [label]
 */
export function bars(ranks, owner, label = 'Label') {
  const labels = `${label}s`;
  // All results are shown, and some of the others.
  const shown = Math.max(SHOWN, ranks.filter(({ isChosen }) => isChosen).length);
  const first = barTable(`${labels} of ${owner}`, label, ranks.slice(0, shown).map(withChoice));
  if (ranks.length <= shown) return [first];
  const summary = element('summary', {}, `${ranks.length - shown} more ${labels.toLowerCase()}`);
  const rest = barTable(`More ${labels.toLowerCase()} of ${owner}`, label, ranks.slice(shown));
  return [first, element('details', {}, summary, rest)];
}

/**
 * @param {Rank} one
 * @param {number} at
 */
const withChoice = (one, at) => ({ isChosen: at === 0, ...one });

/**
 * @param {string} caption
 * @param {string} heading
 * @param {readonly Rank[]} ranks
 */
function barTable(caption, heading, ranks) {
  const rows = ranks.map(({ label, score, shown, hasBar }) => [label, hasBar ? bar(score, shown) : shown]);
  const drawn = table(caption, [heading, 'Score'], rows, 'bars');
  for (const [at, row] of [...(drawn.tBodies[0]?.rows ?? [])].entries()) {
    if (ranks[at]?.isChosen) row.classList.add('chosen');
  }
  return drawn;
}
