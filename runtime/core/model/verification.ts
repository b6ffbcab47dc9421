import { isIntact, type SectionVerdict } from '#contract/container/verify.ts';
import { formatBytes } from './progress.ts';

/** Formats the output of `verify`: one line per section, and a suggestion if a section does not match. */
export function verificationText(file: string, verdicts: readonly SectionVerdict[]): string {
  const lines = verdicts.map((verdict) => {
    const { name, length, expected, actual } = verdict;
    const state = isIntact(verdict) ? `ok  ${expected}` : `ALTERED  expected ${expected}, found ${actual}`;
    return `${name.padEnd(10)}  ${formatBytes(length).padStart(8)}  ${state}`;
  });
  return [...lines, verdicts.every(isIntact) ? `${file} is intact.` : ''].join('\n').trimEnd();
}

export function alteredMessage(file: string, verdicts: readonly SectionVerdict[]): string {
  const names = verdicts.filter((verdict) => !isIntact(verdict)).map(({ name }) => `\`${name}\``);
  return `${file} is corrupted in ${names.join(', ')}. Copy the file again from where it was built.`;
}
