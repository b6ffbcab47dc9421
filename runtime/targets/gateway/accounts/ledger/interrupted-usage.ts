import { parseJsonText } from '#core/json/json-text.ts';
import type { UsageEntry } from './ledger.ts';

/** What a request in flight has used so far. */
export interface InterruptedUsage {
  readonly entry: UsageEntry;
  readonly tags: readonly string[] | undefined;
}

/** The usage as text for the database. */
export const interruptedToText = ({ entry, tags }: InterruptedUsage): string =>
  JSON.stringify({ entry: { ...entry, cost: entry.cost === null ? null : String(entry.cost) }, tags });

/** Reads what `interruptedToText` wrote. */
export function interruptedOf(text: string): InterruptedUsage {
  const { entry, tags } = parseJsonText(text) as Omit<InterruptedUsage, 'entry'> & {
    readonly entry: Omit<UsageEntry, 'cost'> & { readonly cost: string | null };
  };
  return { entry: { ...entry, cost: entry.cost === null ? null : BigInt(entry.cost) }, tags };
}
