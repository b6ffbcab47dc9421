import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AuditEntry, readAudit } from '#manager/calls/audit.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const temp = useTempFolder();
const all = (): boolean => true;
const numbers = (entries: readonly AuditEntry[]): unknown[] => entries.map(({ n }) => n);

test('entries of any length are read from the end in pages, each exactly once', async () => {
  const path = join(temp(), 'audit.jsonl');
  const lines = Array.from({ length: 700 }, (_, n) =>
    JSON.stringify({ n, padding: 'ü'.repeat(n === 350 ? 200_000 : n % 300) }),
  );
  writeFileSync(path, `${lines.join('\n')}\n`);
  const seen: unknown[] = [];
  let before: number | undefined;
  do {
    const page = await readAudit(path, { limit: 64, before, matches: all });
    seen.push(...numbers(page.entries));
    before = page.next;
  } while (before !== undefined);
  expect(seen).toEqual(Array.from({ length: 700 }, (_, n) => 699 - n));
  const odd = await readAudit(path, { limit: 3, matches: ({ n }) => Number(n) % 250 === 0 });
  expect(numbers(odd.entries)).toEqual([500, 250, 0]);
});

test('an incomplete line is skipped, a missing file is empty, and a position from before a rotation restarts at the end', async () => {
  const path = join(temp(), 'audit.jsonl');
  expect(await readAudit(path, { limit: 5, matches: all })).toEqual({ entries: [], next: undefined });
  writeFileSync(path, '{"n":1}\nnot JSON\n[2]\n{"n":3}\n');
  appendFileSync(path, '{"n":4');
  for (const before of [undefined, 1_000_000]) {
    expect(numbers((await readAudit(path, { limit: 5, before, matches: all })).entries)).toEqual([3, 1]);
  }
});
