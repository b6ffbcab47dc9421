import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { metricNames } from '#gateway/evaluation/work/evaluation/metrics.ts';
import { EVALUATED_TASKS } from '#gateway/evaluation/work/tasks/index.ts';
import { inferenceOf } from '../runtime/targets/gateway/evaluation/work/working.ts';
import { ROOT } from '../helpers/paths.ts';

const PAGE = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8');
const namesIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name));
const sections = PAGE.split(/^## /m);
const sectionOf = (title: string): string => sections.find((text) => text.startsWith(title)) ?? '';
const SECTIONS = [
  ['text-classification', 'text-classification'],
  ['token-classification', 'token-classification'],
  ['feature-extraction', 'feature-extraction'],
  ['summarization', 'summarization, translation'],
  ['translation', 'summarization, translation'],
  ['text-generation', 'summarization, translation'],
  ['conversation', 'conversation'],
] as const;

test.each(SECTIONS)('every metric of %s is documented', (task, title) => {
  expect(metricNames(EVALUATED_TASKS[task]).filter((name) => !namesIn(sectionOf(title)).has(name))).toEqual(
    [],
  );
});

test('every result column of a task is documented', () => {
  const known = namesIn(sectionOf('Answer columns'));
  const spec = inferenceOf({ kind: 'gateway', model: 'm' });
  const columns = Object.values(EVALUATED_TASKS).flatMap((task) => task.columns(spec));
  expect([...new Set(columns)].filter((name) => !known.has(name))).toEqual([]);
});
