import type { Clock } from '#platform/clock.ts';
import type { GuardrailHits } from '../../accounts/guardrail-hits/guardrail-hits.ts';
import type { GuardrailVerdict } from '../guardrails/guardrail.ts';
import type { PolicyRequest } from './policy-request.ts';

export type OnVerdicts = (verdicts: readonly GuardrailVerdict[]) => void;

/** Records what guardrails flag in a request and in its answer, and how much they mask. */
export interface HitRecorder {
  readonly add: OnVerdicts;
  /** Writes how much was masked since the last call: a stream is masked piece by piece. */
  readonly end: () => void;
}

/** For requests that no guardrail checks. */
export const NO_HITS: HitRecorder = { add: () => undefined, end: () => undefined };

export function recordHits(
  hits: Pick<GuardrailHits, 'add'>,
  { requestId, endpoint, spender, model }: PolicyRequest,
  clock: Pick<Clock, 'now'>,
): HitRecorder {
  const masked = new Map<string, Pick<GuardrailVerdict, 'profile' | 'place'> & { counts: Counts }>();
  const write = (
    rows: readonly (Pick<GuardrailVerdict, 'profile' | 'place' | 'score' | 'explanation'> & {
      mode: string;
    })[],
  ): void => {
    if (rows.length === 0) return;
    hits.add(
      rows.map(({ profile, mode, place, score, explanation }) => ({
        at: clock.now(),
        request_id: requestId,
        user_id: spender?.user.userId ?? null,
        api_key_id: spender?.key?.id ?? null,
        team_id: spender?.groups.find(({ kind }) => kind === 'team')?.id ?? null,
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
  return {
    add(verdicts) {
      write(verdicts.filter(({ valid }) => !valid));
      for (const { profile, place, masked: found = {} } of verdicts) {
        const key = `${place} ${profile}`;
        for (const [label, count] of Object.entries(found)) {
          const known = masked.get(key) ?? { profile, place, counts: new Map<string, number>() };
          known.counts.set(label, (known.counts.get(label) ?? 0) + count);
          masked.set(key, known);
        }
      }
    },
    end() {
      write(
        [...masked.values()].map(({ profile, place, counts }) => {
          const found = [...counts].map(([label, count]) => `${label} ${count}`).join(', ');
          return { profile, place, mode: 'mask', score: undefined, explanation: `masked: ${found}` };
        }),
      );
      masked.clear();
    },
  };
}

type Counts = Map<string, number>;
