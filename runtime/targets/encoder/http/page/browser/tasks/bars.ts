import { element, withShare } from '#serve/http/pages/browser/dom.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';

/** Number of rows to show initially. The user can expand the rest. */
const SHOWN = 8;

/** A label with its score. The scores of a regression model are unbounded, so they have no bars. */
export interface Rank {
  readonly label: string;
  readonly score: number;
  readonly shown: string;
  readonly hasBar: boolean;
  /** Whether the label is part of the result. Default: true for the first label only. */
  readonly isChosen?: boolean;
}

/**
 * Shows labels with their scores as bars. `owner` names the text that the labels belong to, e.g.
 * `text 1`.
 */
export function bars(ranks: readonly Rank[], owner: string, label = 'Label') {
  const labels = `${label}s`;
  // Shows all labels that are part of the result, and some of the other labels.
  const shown = Math.max(SHOWN, ranks.filter(({ isChosen }) => isChosen).length);
  const first = barTable(`${labels} for ${owner}`, label, ranks.slice(0, shown).map(withChoice));
  if (ranks.length <= shown) return [first];
  const summary = element('summary', {}, `${ranks.length - shown} more ${labels.toLowerCase()}`);
  const rest = barTable(`More ${labels.toLowerCase()} for ${owner}`, label, ranks.slice(shown));
  return [first, element('details', {}, summary, rest)];
}

const withChoice = (one: Rank, at: number) => ({ isChosen: at === 0, ...one });

function barTable(caption: string, heading: string, ranks: readonly Rank[]) {
  const rows = ranks.map(({ label, score, shown, hasBar }) => [label, hasBar ? bar(score, shown) : shown]);
  const drawn = table(caption, [heading, 'Score'], rows, 'bars');
  for (const [at, row] of [...(drawn.tBodies[0]?.rows ?? [])].entries()) {
    if (ranks[at]?.isChosen) row.classList.add('chosen');
  }
  return drawn;
}

/** A horizontal bar for a share, with the number next to the bar. */
export const bar = (share: number, shown: string) =>
  element(
    'div',
    { class: 'measure' },
    withShare(element('span', { class: 'bar', 'aria-hidden': 'true' }), share),
    shown,
  );
