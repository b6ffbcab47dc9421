import { collectPieces } from '../../providers/streams/collect-pieces.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type {
  RequestSampler,
  ResponseTap,
  SampledRequest,
  TappedAnswer,
  VariantRequest,
} from '../completions/sampled-requests.ts';
import type { ComparedRow } from '../../accounts/shadow/shadow-records.ts';
import type { AbSettings } from '../routing/ab-settings.ts';
import { isJudged, type ShadowSettings } from '../routing/shadow-settings.ts';
import { exclusionOf, MAX_COMPARED_BYTES } from './candidate-request.ts';
import type { Evaluations } from './evaluations.ts';
import { rowOfVariant } from './record-variant.ts';

interface SamplerParts {
  readonly evaluations: Pick<Evaluations, 'isOpen' | 'add' | 'record' | 'judge' | 'skip'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/** Samples requests for evaluations. It must never affect a user's request, so it catches all errors. */
export function createSampler({ evaluations, clock, random, log }: SamplerParts): RequestSampler {
  const safely = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      log.error({ err: error }, 'a request was not sampled');
      return undefined;
    }
  };

  /** Passes a response on, or undefined if it is too large. */
  const tapWith = (
    use: (answer: Uint8Array | undefined, answered: TappedAnswer, firstByteMs?: number) => void,
  ): ResponseTap => ({
    // A copy, because the bytes may be part of a larger buffer.
    whole(answer, answered) {
      safely(() => use(answer.length > MAX_COMPARED_BYTES ? undefined : Uint8Array.from(answer), answered));
    },
    stream: (events, firstByteMs, answered) =>
      collectPieces(events, MAX_COMPARED_BYTES, (pieces) =>
        safely(() => {
          const known = answered();
          if (known) use(pieces && Buffer.concat(pieces), known, firstByteMs);
        }),
      ),
  });
  const comparingTap = (sampled: SampledRequest, settings: ShadowSettings, keyId: string): ResponseTap => {
    const { request, alias, spender, screened, costOf } = sampled;
    const { endpoint, inPath, requestId, startedAt } = request;
    const { body, bytes } = screened.content;
    return tapWith((answer, { key, summary }, firstByteMs) => {
      if (!answer) return evaluations.skip(alias, settings, 'too_large');
      evaluations.add(alias, settings, {
        endpoint,
        inPath,
        requestId,
        at: startedAt,
        userId: spender.user.userId,
        keyId,
        body,
        answer,
        model: key,
        cost: costOf(key, summary),
        durationMs: clock.now() - startedAt,
        firstByteMs,
        size: bytes.length + answer.length,
      });
    });
  };

  /** Requests of A/B tests whose responses are judged, with their rows once these are known. */
  const judged = new WeakMap<VariantRequest, { row?: ComparedRow }>();
  const judgingTap = (
    sampled: SampledRequest,
    settings: AbSettings,
    variant: VariantRequest,
  ): ResponseTap => {
    const { request, alias, screened } = sampled;
    const { endpoint, inPath } = request;
    const { body, bytes } = screened.content;
    const pending: { row?: ComparedRow } = {};
    judged.set(variant, pending);
    return tapWith((answer) => {
      const { row } = pending;
      if (!row) return;
      if (answer)
        return evaluations.judge(alias, settings, row, {
          endpoint,
          inPath,
          body,
          answer,
          size: bytes.length + answer.length,
        });
      evaluations.skip(alias, settings, 'too_large');
      evaluations.record(alias, settings, row);
    });
  };

  return {
    observe: (request) => (event, outcome) => {
      safely(() => {
        const { alias, settings } = request.test;
        if (!evaluations.isOpen(alias, settings)) return;
        const row = rowOfVariant(request, event, outcome);
        if (typeof row === 'string') return evaluations.skip(alias, settings, row);
        const pending = judged.get(request);
        if (!pending) evaluations.record(alias, settings, row);
        // A failure has the lowest scores without a judge.
        else if (row.failed === 1) evaluations.record(alias, settings, withLowest(row, settings));
        // The response has not been sent yet.
        else pending.row = row;
      });
    },
    exclude({ alias, settings }, reason) {
      safely(() => evaluations.skip(alias, settings, reason));
    },
    take: (sampled) =>
      safely(() => {
        const { request, alias, settings, spender, variant } = sampled;
        const { key } = spender;
        if (request.caller.kind !== 'key' || !key || !isPermitted(spender)) return undefined;
        const share = 'judgeShare' in settings ? settings.judgeShare : settings.share;
        if (random() >= share || !evaluations.isOpen(alias, settings)) return undefined;
        const exclusion = exclusionOf(sampled);
        if (exclusion !== undefined) {
          evaluations.skip(alias, settings, exclusion);
          return undefined;
        }
        if (!('judgeShare' in settings)) return comparingTap(sampled, settings, key.id);
        return variant && judgingTap(sampled, settings, variant);
      }),
  };
}

const withLowest = (row: ComparedRow, { metrics }: AbSettings): ComparedRow => ({
  ...row,
  scores: { ...row.scores, ...Object.fromEntries(metrics.filter(isJudged).map((name) => [name, 0])) },
});

/** The key must allow it, and its user, team and organization can forbid it. */
const isPermitted = ({ key, user, groups }: Pick<Spender, 'key' | 'user' | 'groups'>): boolean =>
  key?.allowShadow === true && ![user, ...groups].some(({ noShadow }) => noShadow === true);
