import { collectPieces } from '../../providers/streams/collect-pieces.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import type {
  RequestSampler,
  ResponseTap,
  SampledRequest,
  TappedAnswer,
} from '../completions/sampled-requests.ts';
import { exclusionOf, MAX_COMPARED_BYTES } from './candidate-request.ts';
import type { Evaluations } from './evaluations.ts';
import { rowOfVariant } from './record-variant.ts';

interface SamplerParts {
  readonly evaluations: Pick<Evaluations, 'isOpen' | 'add' | 'record' | 'skip'>;
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

  const tapOf = (sampled: SampledRequest, keyId: string): ResponseTap => {
    const { request, alias, settings, spender, screened, costOf } = sampled;
    const { endpoint, inPath, requestId, startedAt } = request;
    const { body, bytes } = screened.content;
    const add = (answer: Uint8Array, { key, summary }: TappedAnswer, firstByteMs?: number): void => {
      if (answer.length > MAX_COMPARED_BYTES) return evaluations.skip(alias, settings, 'too_large');
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
    };
    return {
      // A copy, because the bytes may be part of a larger buffer.
      whole(answer, answered) {
        safely(() => add(Uint8Array.from(answer), answered));
      },
      stream: (events, firstByteMs, answered) =>
        collectPieces(events, MAX_COMPARED_BYTES, (pieces) =>
          safely(() => {
            const known = answered();
            if (!known) return;
            if (pieces) add(Buffer.concat(pieces), known, firstByteMs);
            else evaluations.skip(alias, settings, 'too_large');
          }),
        ),
    };
  };

  return {
    observe: (request) => (event, outcome) =>
      void safely(() => {
        const { alias, settings } = request.test;
        if (!evaluations.isOpen(alias, settings)) return;
        const row = rowOfVariant(request, event, outcome);
        if (typeof row === 'string') evaluations.skip(alias, settings, row);
        else evaluations.record(alias, settings, row);
      }),
    exclude: ({ alias, settings }, reason) => void safely(() => evaluations.skip(alias, settings, reason)),
    take: (sampled) =>
      safely(() => {
        const { request, alias, settings, spender } = sampled;
        const { key } = spender;
        if (request.caller.kind !== 'key' || !key || !isPermitted(spender)) return undefined;
        if (random() >= settings.share || !evaluations.isOpen(alias, settings)) return undefined;
        const exclusion = exclusionOf(sampled);
        if (exclusion === undefined) return tapOf(sampled, key.id);
        evaluations.skip(alias, settings, exclusion);
        return undefined;
      }),
  };
}

/** The key must allow it, and its user, team and organization can forbid it. */
const isPermitted = ({ key, user, groups }: Pick<Spender, 'key' | 'user' | 'groups'>): boolean =>
  key?.allowShadow === true && ![user, ...groups].some(({ noShadow }) => noShadow === true);
