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
          tools: Object.keys(outcome.tools),
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
    const { server, tools, differences } = outcome;
    const count = Object.keys(tools).length;
    const summary = (['new', 'changed', 'removed'] as const)
      .map((change) => [change, differences.filter((one) => one.change === change).length] as const)
      .filter(([, number]) => number > 0)
      .map(([change, number]) => `${number} ${change}`)
      .join(', ');
    const shown = `${count} tool${count === 1 ? '' : 's'}${summary === '' ? ', no changes' : `: ${summary}`}`;
    if (!isDiff) return [`Pinned ${server}: ${shown}.`];
    return [`${server}: ${shown}.`, ...differenceLines(server, differences)];
  });
