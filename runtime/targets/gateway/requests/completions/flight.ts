import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import type { CompletionRequest } from './completion.ts';
import type { ExpectedTokens, PriceList } from './priced-targets.ts';
import { usageRequestId } from './settle-request.ts';
import { usageLines } from './usage-entries.ts';

/** What a request in flight has used so far, for the case that the gateway is killed. */
export interface Flight {
  readonly calling: (key: string) => void;
  readonly streaming: (soFar: () => AnswerSummary) => void;
  /** The usage row to write; undefined while no model was called. */
  readonly usage: () => UsageEntry | undefined;
}

interface FlightParts {
  readonly request: CompletionRequest;
  readonly attempts: readonly Attempt[];
  readonly prices: PriceList;
  readonly expected: ExpectedTokens;
  readonly endUser: string | undefined;
  readonly clock: Clock;
}

export function createFlight({ request, attempts, prices, expected, endUser, clock }: FlightParts): Flight {
  let key: string | undefined;
  let soFar: () => AnswerSummary = () => NO_ANSWER;
  let isStream = false;
  const counts = { ...expected.counts, completion: countedBySize(expected.counts.completion) };
  return {
    calling: (target) => void (key = target),
    streaming(read) {
      soFar = read;
      isStream = true;
    },
    usage() {
      if (key === undefined) return undefined;
      const { endpoint, startedAt } = request;
      const requestId = usageRequestId(request);
      const now = clock.now();
      const facts = {
        endpoint,
        requestId,
        startedAt,
        attempts,
        prices,
        expected: { ...expected, counts },
        endUser,
        now,
      };
      const answered = { key, summary: soFar() };
      const entry = usageLines(facts, {
        answered,
        error: INTERRUPTED,
        streamed: isStream,
        firstByteMs: undefined,
      }).at(-1)?.entry;
      // Durations say nothing about the model, and would change the row each time.
      return entry && { ...entry, status: 'interrupted', estimated: true, latencyMs: null };
    },
  };
}

const INTERRUPTED = new AppError('UnavailableError', 'The gateway was killed before the end of the answer.');

const NO_ANSWER: AnswerSummary = {
  usage: undefined,
  outputLength: 0,
  outputText: '',
  finishReason: undefined,
};

type Count = ExpectedTokens['counts']['completion'];

/** Counts the tokens of a growing output again only when it has grown by a part, because there can be many streams. */
function countedBySize(count: Count): Count {
  let [length, tokens] = [0, 0];
  let counted: AnswerSummary['usage'];
  return (model, summary) => {
    const { outputLength, usage } = summary;
    if (usage !== counted || outputLength > length * MIN_GROWTH) {
      [length, tokens, counted] = [outputLength, count(model, summary), usage];
      return tokens;
    }
    return length === 0 ? tokens : Math.ceil((tokens * outputLength) / length);
  };
}

const MIN_GROWTH = 1.25;
