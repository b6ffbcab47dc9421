import type { PinnedServer } from '../config/pins-file.ts';
import { LIST_ITEMS, LIST_NAMES } from '../shared/list-items.ts';
import { differenceLines } from './difference-text.ts';
import type { PinOutcome } from './pin-servers.ts';

/** The JSON result of `pin`. */
export const pinReport = (file: string, outcomes: readonly PinOutcome[]): object => ({
  file,
  servers: outcomes.map((outcome) =>
    'failure' in outcome
      ? outcome
      : {
          server: outcome.server,
          ...Object.fromEntries(
            LIST_NAMES.map((list) => [list, Object.keys(outcome.items.lists[list] ?? {})]),
          ),
          differences: outcome.differences,
        },
  ),
});

/** The result of `pin` for a terminal: one line per server and, with `--diff`, the changed lines of its tools. */
export const pinLines = (
  outcomes: readonly PinOutcome[],
  { isDiff }: { readonly isDiff: boolean },
): string[] =>
  outcomes.flatMap((outcome) => {
    if ('failure' in outcome) return [];
    const { server, items, differences, isBasic } = outcome;
    const summary = (['new', 'changed', 'removed'] as const)
      .map((change) => [change, differences.filter((one) => one.change === change).length] as const)
      .filter(([, number]) => number > 0)
      .map(([change, number]) => `${number} ${change}`)
      .join(', ');
    const shown = `${countsOf(items)}${summary === '' ? ', no changes' : `: ${summary}`}`;
    if (!isDiff) return [`Pinned ${server}: ${shown}.`];
    const earlier = isBasic ? [basicNote(server)] : [];
    return [`${server}: ${shown}.`, ...earlier, ...differenceLines(server, differences)];
  });

const basicNote = (server: string): string =>
  `The pins of ${server} are from an earlier version and only cover titles, descriptions, schemas and annotations of tools.`;

/** For example `3 tools, 1 prompt`. Lists without items are omitted, except that of the tools. */
const countsOf = ({ lists }: PinnedServer): string =>
  LIST_NAMES.flatMap((list) => {
    const count = Object.keys(lists[list] ?? {}).length;
    return count === 0 && list !== 'tools'
      ? []
      : [`${count} ${LIST_ITEMS[list].kind}${count === 1 ? '' : 's'}`];
  }).join(', ');
