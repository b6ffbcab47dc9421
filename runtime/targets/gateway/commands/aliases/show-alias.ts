import { printJson, printLines } from '#serve/cli/print.ts';
import { aliasView } from '../../api/views/models.ts';
import type { AliasEntry } from '../../registry/registry.ts';
import { formatTime } from '../show/format-values.ts';
import { recordLines } from '../show/record-lines.ts';
import type { StoreContext } from '../store/store-command.ts';

export function showAlias(entry: AliasEntry, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, aliasView(entry));
  else printLines(output, recordLines(recordOf(entry)));
}

function recordOf(entry: AliasEntry): Record<string, string> {
  const view = aliasView(entry);
  return {
    name: view.name,
    source: view.source,
    status: view.status,
    ...(view.problem !== null && { problem: view.problem }),
    targets: targetsText(entry),
    strategy: view.strategy,
    fallbacks: view.fallbacks.join(', ') || '-',
    updated: formatTime(entry.stored?.updatedAt ?? null),
  };
}

/** Targets as on the command line; the weight 1 is left out. */
export const targetsText = (entry: AliasEntry): string =>
  aliasView(entry)
    .targets.map(({ model, weight }) => (weight === 1 ? model : `${model}=${weight}`))
    .join(', ');
