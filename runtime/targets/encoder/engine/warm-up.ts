import type { Manifest } from '../../../contract/manifest.ts';
import type { Runner } from './runner.ts';

/** Runs the model on a short text and on a full batch, so that no request pays for memory that is taken only once. */
export async function warmUp(
  runner: Runner,
  { tokenizer, transform }: Manifest,
  maxBatchTokens: number,
): Promise<void> {
  const longest = Math.min(tokenizer.maxLength, maxBatchTokens, LONG);
  const text = (words: number): { text: string } => ({ text: 'a '.repeat(words) });
  const full = Array.from({ length: Math.floor(maxBatchTokens / longest) }, () => text(longest));
  for (const inputs of [[text(1)], full]) {
    const request = { inputs, view: { kind: 'result', format: 'json', options: {} } } as const;
    await runner.submit(request, 'truncate').catch((error: unknown) => {
      // A transform may well refuse such texts.
      if (!transform) throw error;
    });
  }
}

const LONG = 512;
