import { expect, test } from 'vitest';
import { fit, progressText } from '#cli/services/terminal-reporter.ts';

test.each([
  [
    { done: 45e6, total: 60e6, unit: 'bytes' },
    3,
    '██████████████████░░░░░░ 75%, 45.0 MB of 60.0 MB, 3.0 s left',
  ],
  [{ done: 0, total: 80, unit: 'runs' }, undefined, '░░░░░░░░░░░░░░░░░░░░░░░░ 0%, 0 of 80 runs'],
  [{ done: 80, total: 80, unit: 'runs' }, 1, '████████████████████████ 100%, 80 of 80 runs'],
  [{ done: 0, total: 0, unit: 'bytes' }, undefined, '░░░░░░░░░░░░░░░░░░░░░░░░ 0%, 0 B of 0 B'],
] as const)('%j is formatted', (progress, left, text) => {
  expect(progressText(progress, left)).toBe(text);
});

test('a line fits into the terminal, first without the bar', () => {
  const line = '⠋ Fetching hf:acme/model ██████████░░ 75%, 45 MB of 60 MB';
  expect(fit(line, 100)).toBe(line);
  expect(fit(line, 50)).toBe('⠋ Fetching hf:acme/model 75%, 45 MB of 60 MB');
  expect(fit(line, 10)).toHaveLength(9);
  expect(fit('x'.repeat(200), 0)).toHaveLength(79);
  expect(fit('x'.repeat(200), undefined)).toHaveLength(79);
});
