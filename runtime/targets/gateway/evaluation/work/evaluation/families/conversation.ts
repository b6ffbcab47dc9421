import { CALL_SCORES, callScores } from '../../../metrics/calls/call-scores.ts';
import { isEqualJson } from '../../../metrics/calls/json-equal.ts';
import { knownMeans } from '../../../metrics/calls/known-means.ts';
import { type CallGroup, matchCalls } from '../../../metrics/calls/match-calls.ts';
import { type TurnOutcome, turnSuccess } from '../../../metrics/calls/turn-success.ts';
import { isObject } from '#core/json/is-object.ts';
import { createYielder } from '#platform/run-yielding.ts';
import type { Metric, RowScores } from '../../../metrics/metric.ts';
import type { RowCells } from '../../../datasets/dataset.ts';
import type { Conversation, Expectation, RecordedCall } from '../../conversations/conversation.ts';
import { readConversation } from '../../conversations/read-conversation.ts';
import { hasExpectation } from '../../conversations/read-expectation.ts';
import { isUnanswered, type MetricFamily, type Sample, type Scorer } from '../evaluation.ts';
import { all, asIs, readInTurn } from '../scorer.ts';
import { cellJson, cellText } from '../read-cells.ts';
import { bertscoreFamily } from './bertscore.ts';
import { judgeFamilies } from './judge.ts';
import { pairwiseFamily } from './pairwise.ts';
import { textFamilies } from './text.ts';

/** What a model did in a conversation. All lists are empty for a row without a response. */
interface Outcome {
  readonly calls: readonly RecordedCall[];
  /** Undefined for a row without a response. */
  readonly replies: readonly string[] | undefined;
  readonly state: unknown;
}

function outcomeOf({ row, prediction }: Sample): Outcome {
  if (isUnanswered({ prediction })) return { calls: [], replies: undefined, state: undefined };
  const replies = cellJson(row['replies']);
  return {
    calls: callsIn(row),
    replies: Array.isArray(replies) ? replies.map(String) : [cellText(prediction)],
    state: cellJson(row['final_state']) ?? null,
  };
}

function callsIn({ calls }: RowCells): readonly RecordedCall[] {
  const list = cellJson(calls);
  return (Array.isArray(list) ? list : []).flatMap((call: unknown) =>
    isObject(call) && typeof call['name'] === 'string'
      ? [{ turn: Number(call['turn'] ?? 1), name: call['name'], arguments: call['arguments'] }]
      : [],
  );
}

/** The parts of a conversation that have expectations: each turn, and the conversation as a whole. */
interface Part {
  readonly expectation: Expectation;
  readonly calls: readonly RecordedCall[];
  /** The response that the checks apply to; undefined without a response. */
  readonly reply: string | undefined;
}

const turnPart = ({ turns }: Conversation, { calls, replies }: Outcome, at: number): Part => ({
  expectation: turns[at]?.expectation as Expectation,
  calls: calls.filter(({ turn }) => turn === at + 1),
  reply: replies?.[at],
});

const wholePart = ({ expectation }: Conversation, { calls, replies }: Outcome): Part => ({
  expectation,
  calls,
  reply: replies?.at(-1),
});

const groupOf = ({ expectation, calls }: Part): CallGroup => ({
  expected: expectation.calls ?? [],
  made: calls,
  order: expectation.order,
});

/** Whether a part meets all its expectations. A row without a response meets none. */
function isMet(part: Part, state: unknown): boolean {
  const { expectation, calls, reply } = part;
  if (reply === undefined) return false;
  return (
    (expectation.calls === undefined || matchCalls(groupOf(part)).isCorrect) &&
    expectation.forbidden.every(
      ({ name, accepts }) => !calls.some((call) => call.name === name && accepts(call.arguments)),
    ) &&
    expectation.checks.every((holds) => holds(reply)) &&
    (expectation.state === undefined || isEqualJson(state, expectation.state.expected))
  );
}

interface SampleParts {
  readonly turns: readonly Part[];
  readonly whole: Part;
  readonly outcome: Outcome;
}

/** Parts by sample: several metrics read the same rows, whose schemas are compiled once. */
const known = new WeakMap<Sample, SampleParts>();

function partsOf(sample: Sample): SampleParts {
  const found = known.get(sample) ?? readParts(sample);
  known.set(sample, found);
  return found;
}

function readParts(sample: Sample): SampleParts {
  const conversation = readConversation(sample.row);
  const outcome = outcomeOf(sample);
  return {
    turns: conversation.turns.map((_turn, at) => turnPart(conversation, outcome, at)),
    whole: wholePart(conversation, outcome),
    outcome,
  };
}

const withExpectation = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(({ expectation }) => hasExpectation(expectation));

const asScores = (scores: RowScores): RowScores => scores;

/** A scorer that yields between rows, because patterns and schemas of many rows take seconds. */
function yieldingScorer<Row>(metric: Metric<Row>, read: (sample: Sample) => Row | undefined): Scorer {
  const yieldToOthers = createYielder();
  return {
    prepare: async (samples, { signal }) =>
      await readInTurn(samples, { signal, yieldToOthers }, read, (row) =>
        row === undefined ? {} : metric.add(row),
      ),
    result: metric.result,
    save: metric.save,
  };
}

/** Precision, recall and order of the calls in rows that expect calls. */
const toolCalls: MetricFamily = {
  name: 'tool_calls',
  metrics: { tool_calls: all },
  needs: [],
  shownAs: (value) => `tool_calls_${value}`,
  open: (_tools, saved) =>
    yieldingScorer(knownMeans(CALL_SCORES, asScores, saved), (sample) => {
      const { turns, whole, outcome } = partsOf(sample);
      const groups = [...turns, whole]
        .filter(({ expectation }) => expectation.calls !== undefined)
        .map(groupOf);
      if (groups.length === 0) return undefined;
      return callScores(outcome.replies === undefined ? null : groups);
    }),
};

/** Whether a whole conversation meets all expectations, of its turns too. */
const success: MetricFamily = {
  name: 'success',
  metrics: { success: all },
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    yieldingScorer(
      knownMeans(['success'], (isSuccess: boolean) => ({ success: isSuccess ? 1 : 0 }), saved),
      (sample) => {
        const { turns, whole, outcome } = partsOf(sample);
        const parts = withExpectation([...turns, whole]);
        return parts.length === 0 ? undefined : parts.every((part) => isMet(part, outcome.state));
      },
    ),
};

/** The share of turns that meet their expectations, in total and by position. */
const turns: MetricFamily = {
  name: 'turn_success',
  metrics: { turn_success: all },
  needs: [],
  shownAs: asIs,
  open: (_tools, saved) =>
    yieldingScorer(turnSuccess({}, saved), (sample): readonly TurnOutcome[] | undefined => {
      const { turns: parts, outcome } = partsOf(sample);
      const outcomes = parts.flatMap((part, at) =>
        hasExpectation(part.expectation) ? [{ turn: at + 1, isMet: isMet(part, outcome.state) }] : [],
      );
      return outcomes.length === 0 ? undefined : outcomes;
    }),
};

/** Metrics that compare the last response with the ground truth skip rows without one. */
const onlyWithTruth = (family: MetricFamily): MetricFamily => ({
  ...family,
  open(tools, saved) {
    const opened = family.open(tools, saved);
    return {
      ...opened,
      async prepare(samples, context) {
        const compared = samples.filter(({ truth }) => truth !== null && truth !== '');
        const counts = new Map(
          (await opened.prepare(compared, context)).map((count, at) => [compared[at], count]),
        );
        return samples.map((sample) => counts.get(sample) ?? (() => ({})));
      },
    };
  },
});

export const conversationFamilies: readonly MetricFamily[] = [
  success,
  turns,
  toolCalls,
  pairwiseFamily,
  ...[...textFamilies, bertscoreFamily, ...judgeFamilies].map(onlyWithTruth),
];
