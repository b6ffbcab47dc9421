import type { Clock } from '#platform/clock.ts';
import type { Prices } from '../../../accounts/ledger/ledger.ts';
import type { CurrentModels } from '../../../requests/models/model-set.ts';

interface EncoderPathParts {
  readonly models: CurrentModels;
  readonly prices: Pick<Prices, 'at'>;
  readonly clock: Clock;
}

/**
 * The path of a configured encoder's executable. Undefined if the encoder runs elsewhere, or if the gateway
 * must call it in order to charge for it, either because it has a price or because models without a price are
 * rejected.
 */
export async function encoderPath(
  model: string,
  { models, prices, clock }: EncoderPathParts,
): Promise<string | undefined> {
  const { set, release } = models.hold();
  try {
    const [target] = set.router.resolve(model).targets;
    if (target === undefined || set.requirePricing) return undefined;
    for (const key of [target.key, ...target.otherKeys]) {
      if ((await prices.at(key, clock.now())) !== undefined) return undefined;
    }
    return target.provider.program;
  } finally {
    release();
  }
}
