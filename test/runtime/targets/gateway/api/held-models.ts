import type { Clock } from '#platform/clock.ts';
import type { GuardrailProfile } from '#gateway/requests/guardrails/guardrail.ts';
import { createGuardrails } from '#gateway/requests/guardrails/guardrails.ts';
import { abTestsOf } from '#gateway/requests/routing/ab-tests.ts';
import { createRouter } from '#gateway/requests/routing/router.ts';
import { NO_PROMPTS, type PromptPolicy, REQUEST_POLICY } from '#gateway/providers/shapes/policies.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import type { Alias } from '#gateway/requests/routing/routing.ts';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';

interface ModelOptions {
  readonly providers?: readonly Provider[];
  readonly aliases?: readonly Alias[];
  readonly prompts?: PromptPolicy;
  readonly guardrails?: readonly GuardrailProfile[];
}

/** Models from options, with a count of their holders. */
export function heldModels(
  { providers = [], aliases = [], prompts = NO_PROMPTS, guardrails: profiles = [] }: ModelOptions,
  clock: Clock,
) {
  // The clock stands still, so that waiting for another attempt would never end.
  const policy = { retry: { ...RETRY_POLICY, retries: 0 } };
  const router = createRouter({ providers, aliases, clock, random: Math.random, policy });
  const isolated = createRouter({ providers, clock, random: Math.random, policy });
  const guardrails = createGuardrails({ profiles, classifier: (name) => router.classifier(name), clock });
  const set = {
    router,
    isolatedRouter: () => isolated,
    abTests: abTestsOf(aliases),
    guardrails,
    requirePricing: false,
    allowUnpriced: false,
    requests: REQUEST_POLICY,
    prompts,
    assumedOutputTokens: 1024,
  };
  let held = 0;
  const hold = () => {
    held += 1;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) held -= 1;
      isHeld = false;
    };
    return { set, release };
  };
  return { models: { hold }, held: () => held };
}
