import type { Caller } from './caller.ts';

/** Leaves out the samples of servers and tools that a caller cannot use. `text` is in the Prometheus format. */
export function visibleMetrics(text: string, caller: Caller): string {
  return text
    .split('\n')
    .filter((line) => {
      const server = labelOf(line, 'server');
      return server === undefined || caller.canUse(server, labelOf(line, 'tool'));
    })
    .join('\n');
}

/** Names of servers and tools contain no characters that are escaped in labels. */
const labelOf = (line: string, label: string): string | undefined =>
  line.startsWith('#') ? undefined : new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1];
