import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planEntities } from '#core/model/entity-options.ts';
import { TEXT_FAILED } from './pool-member.ts';
import type { Runner } from './runner.ts';

/**
 * Runs the model on a short text, so that the first request does not pay for what a first run does. The memory of longer texts is not
 * prepared: a full batch would delay the start by 120 ms of a processor to save the first full batch a few percent of its time.
 */
export async function warmUp(
  runner: Runner,
  { transform, mask, entities: settings }: Manifest,
): Promise<void> {
  const entities = planEntities({ entities: settings }, { labels: ['a'] });
  const view = { kind: 'result', format: 'json', options: { entities } } as const;
  const inputs = [{ text: mask ? `${mask.token} a` : 'a' }];
  await runner.submit({ inputs, view, labels: entities?.labels }, 'truncate').catch((error: unknown) => {
    // The transform or the model can fail for this text and work for others.
    if (!transform && AppError.from(error).reason !== TEXT_FAILED) throw error;
  });
}
