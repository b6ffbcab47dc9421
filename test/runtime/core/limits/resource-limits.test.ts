import { expect, it } from 'vitest';
import { limitsProblem } from '#core/limits/resource-limits.ts';

const limits = (files: string, processes: string): string => `\
Limit                     Soft Limit           Hard Limit           Units
Max processes             ${processes.padEnd(20)} 96364                processes
Max open files            ${files.padEnd(20)} 20000                files
`;

it.each([
  ['31', '96364', 1000, /^The limit on open files is 31, but at least 32 are required\. Raise it/],
  ['1024', '15', 1000, /^The limit on processes and threads is 15, but at least 16 are required\. Raise it/],
  ['1024', '15', undefined, /^The limit on processes/],
])('rejects %s files and %s processes for user %s', (files, processes, user, message) => {
  expect(limitsProblem(limits(files, processes), user)).toMatch(message);
});

it.each([
  ['32', '16', 1000],
  ['unlimited', 'unlimited', 1000],
  // The limit on processes does not apply to root.
  ['1024', '1', 0],
])('accepts %s files and %s processes for user %s', (files, processes, user) => {
  expect(limitsProblem(limits(files, processes), user)).toBeUndefined();
});

it('accepts a system without limits', () => {
  expect(limitsProblem('', 1000)).toBeUndefined();
});
