import { AppError } from '../../../contract/errors.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { planEntities } from '../../../core/model/entity-options.ts';
import { TEXT_FAILED } from './pool-member.ts';
import type { Runner } from './runner.ts';

/** Runs the model on a short text and on a full batch, so that no request pays for one-time memory allocation. */
export async function warmUp(
  runner: Runner,
  { tokenizer, transform, mask, entities: settings }: Manifest,
  maxBatchTokens: number,
): Promise<void> {
  const longest = Math.min(tokenizer.maxLength, maxBatchTokens, LONG);
  const text = (words: number): { text: string } => ({
    text: `${mask ? `${mask.token} ` : ''}${'a '.repeat(words)}`,
  });
  const full = Array.from({ length: Math.floor(maxBatchTokens / longest) }, () => text(longest));
  for (const inputs of [[text(1)], full]) {
    const entities = planEntities({ entities: settings }, { labels: ['a'] });
    const view = { kind: 'result', format: 'json', options: { entities } } as const;
    const request = { inputs, view, labels: entities?.labels };
    await runner.submit(request, 'truncate').catch((error: unknown) => {
      // The transform or the model can fail for these texts and work for others.
      if (!transform && AppError.from(error).reason !== TEXT_FAILED) throw error;
    });
  }
}

const LONG = 512;
