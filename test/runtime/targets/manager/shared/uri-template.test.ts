import { expect, test } from 'vitest';
import { matchesUriTemplate } from '#manager/shared/uri-template.ts';

test.each([
  ['memo://{name}', 'memo://one', true],
  ['memo://{name}', 'note://one', false],
  ['note://{day}/{hour}', 'note://mon/12', true],
  ['note://{day}/{hour}', 'note://mon', false],
  ['file:///{+path}.txt', 'file:///a/b.txt', true],
  ['memo://one', 'memo://one', true],
])('%s can expand to %s: %s', (template, uri, expected) => {
  expect(matchesUriTemplate(template, uri)).toBe(expected);
});
