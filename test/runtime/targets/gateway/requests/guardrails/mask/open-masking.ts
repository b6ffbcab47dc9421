import { systemClock } from '#platform/clock.ts';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import type { GuardrailProfile, GuardrailRule } from '#gateway/requests/guardrails/guardrail.ts';
import { createGuardrails } from '#gateway/requests/guardrails/guardrails.ts';
import { createPlaceholders } from '#gateway/requests/guardrails/mask/placeholders.ts';
import type { Provider } from '#gateway/providers/adapters/provider.ts';
import type { StreamMask } from '#gateway/providers/streams/stream.ts';

const request = { requestId: 'r-1', signal: new AbortController().signal };
export const rule = (profile: string, more: Partial<GuardrailRule> = {}): GuardrailRule => ({
  profile,
  mode: 'block',
  onUnavailable: 'block',
  on: ['output'],
  ...more,
});
export const patternsOf = (patterns: Record<string, string>): GuardrailProfile => ({
  name: 'ids',
  kind: 'patterns',
  action: 'mask',
  patterns: new Map(Object.entries(patterns).map(([name, source]) => [name, compileLinearPattern(source)])),
});
const IDS = patternsOf({
  IBAN: String.raw`[A-Z]{2}\d{2}(?: ?\d{4}){2,7}`,
  mail: String.raw`[\w.]+@[\w.]+\w`,
  key: String.raw`\bsk-"?\w{4}`,
});
/** Names as an entity model would find them, in texts of more than one word. */
const NAMES = /Anna Smith|Bob|Lima/g;
export const encoder = (fails = false): Provider & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    entities: async ({ texts }: { readonly texts: readonly string[] }) => {
      if (fails) throw new Error('gone');
      asked.push(...texts);
      const entities = texts.map((text) =>
        [...text.matchAll(NAMES)].map(({ 0: found, index }) => ({
          label: 'PER',
          score: 0.99,
          start: index,
          end: index + found.length,
        })),
      );
      return await Promise.resolve({ kind: 'found', entities });
    },
  } as unknown as Provider & { readonly asked: string[] };
};
export const PEOPLE: GuardrailProfile = {
  name: 'people',
  kind: 'entities',
  encoder: 'ner',
  entities: ['PER'],
  threshold: 0.5,
  action: 'mask',
};

interface Opened {
  readonly profile?: GuardrailProfile;
  readonly rules?: readonly GuardrailRule[];
  readonly provider?: Provider;
  readonly body?: object;
}
export function openMasking({ profile = IDS, provider, rules = [rule(profile.name)], body = {} }: Opened) {
  const guardrails = createGuardrails({
    profiles: [profile],
    classifier: () => provider,
    clock: systemClock,
  });
  const placeholders = createPlaceholders(JSON.stringify(body));
  const masking = { request, body: {}, placeholders };
  return { guardrails, masking, placeholders, rules };
}
export function maskOf(opened: Opened): StreamMask {
  const { guardrails, masking, rules } = openMasking(opened);
  const mask = guardrails.streamMask(rules, masking, () => undefined);
  if (!mask) throw new Error('nothing masks');
  return mask;
}
