import { expect, test } from 'vitest';
import { printJson, printText } from '#serve/cli/terminal.ts';

/** Clears the screen, sets the clipboard, hides text, and the same with control characters of one byte. */
const HOSTILE = 'a\u001b[2J\u001b]52;c;cm0gLXJm\u0007\u001b[8mb\u009b2J\u0090c\u007f\r\nd\te';

/** What a function prints. */
function printed(print: (output: Parameters<typeof printText>[0]) => void): string {
  let text = '';
  print({ out: (more) => void (text += more), err: () => undefined });
  return text;
}

test('texts of others cannot control a terminal, and are unchanged in files', () => {
  expect(printed((output) => printText(output, HOSTILE, { live: false }))).toBe(HOSTILE);
  const shown = printed((output) => printText(output, HOSTILE, { live: true }));
  expect(shown).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(shown).toContain('\nd\te');
});

test('JSON contains no control characters, and the same values', () => {
  const shown = printed((output) => printJson(output, { text: HOSTILE }));
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(shown)).toEqual({ text: HOSTILE });
});
