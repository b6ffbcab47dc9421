import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../helpers/paths.ts';

/** A program on a page in docs/how-to, and the documented output. */
export interface Example {
  readonly page: string;
  readonly code: string;
  readonly output: string;
}

const FOLDER = join(ROOT, 'docs/how-to');
const PYTHON = /^```python\n([^]*?)^```\n(?:\s*^```text\n([^]*?)^```$)?/gm;

export const pages = (): string[] => readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

export const textOf = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');

/** The Python code on a page. Each block is a separate program, and its output follows it. */
export function examplesOf(page: string): Example[] {
  return [...textOf(page).matchAll(PYTHON)].map(([, code = '', output]) => {
    if (output === undefined) throw new Error(`${page} has Python code without its output`);
    return { page, code, output };
  });
}

/**
 * Compares a program's output with its page: fractional numbers by value, because their last digits differ between CPUs, and everything
 * else as text.
 */
export function expectOutput(actual: string, expected: string): void {
  const [ones, others] = [actual.match(FRACTION) ?? [], expected.match(FRACTION) ?? []];
  const isSame =
    actual.replaceAll(FRACTION, '#') === expected.replaceAll(FRACTION, '#') &&
    ones.every((one, index) => Math.abs(Number(one) - Number(others[index])) <= TOLERANCE);
  if (!isSame) throw new Error(`the page has\n${expected}\nand the program prints\n${actual}`);
}

const FRACTION = /-?\d+\.\d+/g;
/** The pages show most numbers with three digits. */
const TOLERANCE = 0.0015;

/** Packages with versions, as in `pip install name==1.0`. */
export const packagesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\b[a-z][\w-]*(?:\[[a-z]+\])?==[\w.]*\w/g)].map(([found]) => found)),
];
