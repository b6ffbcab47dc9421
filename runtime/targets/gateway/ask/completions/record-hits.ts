import type { Clock } from '../../../../platform/clock.ts';
import type { GuardrailHits } from '../../accounts/guardrail-hits/guardrail-hits.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type { GuardrailVerdict } from '../guardrails/guardrail.ts';
import type { CompletionRequest } from './completion.ts';

export type OnVerdicts = (verdicts: readonly GuardrailVerdict[]) => void;

interface HitParts {
  readonly request: CompletionRequest;
  readonly spender: Spender;
  /** Model that the request names. */
  readonly model: string;
  readonly clock: Clock;
}

/** Returns a function that records the verdicts on a request that are not valid. */
export const recordHits =
  (hits: Pick<GuardrailHits, 'add'>, { request, spender, model, clock }: HitParts): OnVerdicts =>
  (verdicts) => {
    const flagged = verdicts.filter(({ valid }) => !valid);
    if (flagged.length === 0) return;
    const { requestId, endpoint } = request;
    hits.add(
      flagged.map(({ profile, mode, place, score, explanation }) => ({
        at: clock.now(),
        request_id: requestId,
        user_id: spender.user.userId,
        api_key_id: spender.key?.id ?? null,
        team_id: spender.groups.find(({ kind }) => kind === 'team')?.id ?? null,
        endpoint,
        model,
        profile,
        mode,
        place,
        score: score ?? null,
        explanation,
      })),
    );
  };
