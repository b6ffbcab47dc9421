import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lookup } from '#core/values/lookup.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);
const ROOT = new URL('../../../../', import.meta.url);

test('a lookup table has only its own keys', () => {
  const table = lookup({ known: 1, toString: 2 });
  expect(INHERITED.map((name) => [name, table[name]])).toEqual(
    INHERITED.map((name) => [name, name === 'toString' ? 2 : undefined]),
  );
  expect([table['known'], Object.keys(table)]).toEqual([1, ['known', 'toString']]);
});

/** Constants with string keys and an object literal as their value. Tables of options are spread, not searched. */
const PLAIN_TABLE =
  /\bconst ([A-Z][A-Z0-9_]*): (?:Readonly<|Partial<)*Record<\s*string,(?!\s*(?:Option|Command)>)[^=]*=\s*\{/g;

test('tables that are searched with user input are lookup tables', () => {
  const files = globSync('{cli,runtime}/**/*.ts', { cwd: ROOT }).filter(
    (file) => !/\/(?:gen|browser|node_modules)\//.test(file),
  );
  expect(files.length).toBeGreaterThan(1000);
  const plain = files.flatMap((file) =>
    [...readFileSync(new URL(file, ROOT), 'utf8').matchAll(PLAIN_TABLE)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  expect(plain).toEqual([]);
});
