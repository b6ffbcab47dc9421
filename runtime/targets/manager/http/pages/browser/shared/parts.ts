import type { Wanted } from '#serve/http/pages/browser/components/data-table.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';

/**
 * Searches and paginates rows in the browser, for tables whose rows the server returns all together. Only one
 * page is in the DOM. `read`: called once. `text`: the text that the filter `q` searches.
 */
export function localRows<Row>(read: () => Promise<readonly Row[]>, text: (row: Row) => string) {
  let reading: Promise<readonly Row[]> | undefined;
  return async ({ filters, cursor, limit }: Wanted) => {
    reading ??= read();
    const all = await reading.catch((error: unknown) => {
      // Makes the next attempt read the rows again.
      reading = undefined;
      throw error;
    });
    const words = (filters['q'] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((row) => {
      const searched = text(row).toLowerCase();
      return words.every((word) => searched.includes(word));
    });
    const start = Number(cursor ?? 0);
    const end = start + limit;
    return {
      rows: found.slice(start, end),
      total: found.length,
      next: end < found.length ? String(end) : undefined,
    };
  };
}

/** A button that runs something; disabled while it is running. */
export function button(name: string, run: () => unknown, kind: '' | 'quiet' | 'danger' = '') {
  const node = element('button', { type: 'button', class: kind }, name);
  const press = async () => {
    node.disabled = true;
    try {
      await run();
    } finally {
      node.disabled = false;
    }
  };
  node.addEventListener('click', () => void press());
  return node;
}

const MAX_CHARACTERS = 240;

/** The beginning of a server's text, for a table cell. */
export const shortened = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;

const KINDS: Record<string, 'good' | 'warning' | 'alarm' | 'plain'> = {
  running: 'good',
  idle: 'plain',
  installing: 'warning',
  starting: 'warning',
  stopping: 'warning',
  waiting: 'warning',
  failed: 'alarm',
};

export const phaseBadge = (phase: string) => badge(phase, KINDS[phase] ?? 'plain');

const HEALTH_KINDS: Record<string, 'good' | 'warning' | 'alarm' | 'plain'> = {
  ok: 'good',
  timeout: 'warning',
  unreachable: 'alarm',
};

export const healthBadge = (status: string) => badge(status, HEALTH_KINDS[status] ?? 'plain');
