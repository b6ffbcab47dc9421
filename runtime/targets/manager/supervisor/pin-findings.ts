import type { ListName } from '../shared/list-items.ts';
import type { ItemChange, PinFindings, ToolChange } from './managed-server.ts';

/** Maximum number of findings kept per kind, because a server can list thousands of items. */
const MAX_KEPT = 100;

/** Collects findings about a server's items. `warn` receives each one when it appears. */
export function createPinFindings(
  redact: (text: string) => string,
  warn: (text: string) => void,
): PinFindings {
  let changes: readonly ToolChange[] = [];
  let faults: readonly string[] = [];
  const items = new Map<ListName, readonly ItemChange[]>();
  const known = new Map<ListName, ReadonlySet<string>>();
  const warnAbout = (list: ListName, texts: readonly string[]): void => {
    const before = known.get(list);
    for (const text of texts) if (before?.has(text) !== true) warn(text);
    known.set(list, new Set(texts));
  };
  const sentence = (kind: string, name: string, change: ToolChange['change']): string => {
    const difference = change === 'new' ? 'is not pinned' : 'differs from its pinned definition';
    return `the ${kind} ${name} ${difference}`;
  };
  return {
    changes: () => changes,
    itemChanges: () => [...items.values()].flat(),
    faults: () => faults,
    report(latest, consequence) {
      changes = latest.changes.slice(0, MAX_KEPT);
      faults = latest.faults.slice(0, MAX_KEPT).map(redact);
      const texts = changes.map(({ tool, change }) =>
        redact(`${sentence('tool', tool, change)}; ${consequence}`),
      );
      warnAbout('tools', [...texts, ...faults]);
    },
    reportItems(list, latest, consequence) {
      const kept = latest.slice(0, MAX_KEPT);
      items.set(list, kept);
      warnAbout(
        list,
        kept.map(({ kind, name, change }) => redact(`${sentence(kind, name, change)}; ${consequence}`)),
      );
    },
  };
}
