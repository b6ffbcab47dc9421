import type { ToolChange, ToolFindings } from './managed-server.ts';

/** Maximum number of findings of a kind that are kept, because a server can list thousands of tools. */
const MAX_KEPT = 100;

/** Collects the findings about the tools of a server. `warn` gets each one when it appears. */
export function createToolFindings(
  redact: (text: string) => string,
  warn: (text: string) => void,
): ToolFindings {
  let changes: readonly ToolChange[] = [];
  let faults: readonly string[] = [];
  let known = new Set<string>();
  return {
    changes: () => changes,
    faults: () => faults,
    report(latest, consequence) {
      changes = latest.changes.slice(0, MAX_KEPT);
      faults = latest.faults.slice(0, MAX_KEPT).map(redact);
      const texts = [...changes.map((change) => redact(`${sentenceOf(change)}; ${consequence}`)), ...faults];
      for (const text of texts) if (!known.has(text)) warn(text);
      known = new Set(texts);
    },
  };
}

const sentenceOf = ({ tool, change }: ToolChange): string =>
  change === 'new' ? `the tool ${tool} is not pinned` : `the tool ${tool} differs from its pinned definition`;
