import { AppError, inputError } from '#contract/errors.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { FeedbackLog } from '../../accounts/feedback/feedback-log.ts';
import type { PromptFilter } from '../../accounts/prompts/prompt-filter.ts';
import type { PromptLog } from '../../accounts/prompts/prompt-log.ts';
import type { ModelSet } from '../../requests/models/model-set.ts';
import type { Owner } from '../../shared/owner.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import { MAX_CELL_CHARACTERS } from '../datasets/read/limits.ts';
import { once } from '../datasets/sources/url.ts';
import type { Dataset, Datasets } from '../datasets/dataset.ts';
import { seededRandom } from '../metrics/compare/bootstrap.ts';
import { type LoggedExample, loggedExample, textOfLast } from './logged-example.ts';
import { createNearDuplicates, type DuplicateOptions } from './near-duplicates.ts';
import { createRedaction } from './redact-example.ts';

/** Columns that a dataset can have in addition to its input, ground truth and request ID. */
export const TRAFFIC_FIELDS = [
  'messages',
  'tools',
  'answer',
  'thumb',
  'score',
  'label',
  'text',
  'at',
  'model',
  'endpoint',
  'user_id',
] as const;
type TrafficField = (typeof TRAFFIC_FIELDS)[number];

/** What becomes the ground truth: `good_answer` is the expected output or, after a thumb up, the response. */
export const GROUND_TRUTHS = ['good_answer', 'expected_output', 'label', 'answer', 'none'] as const;
type GroundTruth = (typeof GROUND_TRUTHS)[number];

export const SAMPLES = ['newest', 'random'] as const;

export interface TrafficSelection {
  readonly filter: PromptFilter;
  /** Maximum number of rows. */
  readonly limit: number;
  /** `random` selects requests before they are read, so dropped ones are not replaced. */
  readonly sample: (typeof SAMPLES)[number];
  readonly seed: number;
  /** Names of guardrails that mask. */
  readonly redact: readonly string[];
  readonly deduplicate: DuplicateOptions | undefined;
  readonly groundTruth: GroundTruth;
  /** Whether rows without a ground truth are dropped. */
  readonly requiresGroundTruth: boolean;
  readonly fields: readonly TrafficField[];
}

/** Number of requests after each step. */
export interface TrafficCounts {
  /** Requests that match the filter. */
  matched: number;
  /** Requests that were read; fewer than matched if the limit was reached. */
  read: number;
  /** Truncated requests, and those without a text. */
  unreadable: number;
  withoutGroundTruth: number;
  /** Requests from which personal data could not be removed. */
  redactionFailed: number;
  duplicates: number;
  rows: number;
}

export interface TrafficServices {
  readonly promptLog: Pick<PromptLog, 'count' | 'ids' | 'readAll' | 'readThese'>;
  readonly feedback: Pick<FeedbackLog, 'on'>;
  readonly datasets: Pick<Datasets, 'uploadFiles'>;
}

/** Where to store the dataset. */
export interface TrafficTarget {
  readonly filename: string;
  readonly owner: Owner | null;
  readonly tags: readonly string[];
}

/** Maximum number of rows of a dataset from requests. */
export const MAX_ROWS = 100_000;
/** Maximum number of rows that are compared with each other, whose vectors are in memory. */
export const MAX_COMPARED_ROWS = 20_000;
/** Examples that are redacted and compared concurrently. */
const CONCURRENT = 8;

/**
 * Makes a dataset of stored requests. Requests are read a few at a time, and rows are stored as they are
 * made, so memory does not depend on their number. Without a target, nothing is stored.
 */
export async function datasetFromRequests(
  services: TrafficServices,
  set: Pick<ModelSet, 'guardrails' | 'router'>,
  selection: TrafficSelection,
  target: TrafficTarget | undefined,
  signal: AbortSignal,
): Promise<{ readonly dataset: Dataset | undefined; readonly counts: TrafficCounts }> {
  const counts = emptyCounts();
  counts.matched = await services.promptLog.count(selection.filter);
  const rows = rowsOf(services, set, selection, counts, signal);
  if (!target) {
    for await (const _row of rows) signal.throwIfAborted();
    return { dataset: undefined, counts };
  }
  const bytes = async function* (): AsyncGenerator<Uint8Array, void> {
    for await (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`);
    if (counts.rows === 0) throw noRows(counts);
  };
  const dataset = await services.datasets.uploadFiles({
    ...target,
    files: once({ filename: 'requests.jsonl', bytes: bytes() }),
    source: 'requests',
  });
  return { dataset, counts };
}

const emptyCounts = (): TrafficCounts => ({
  matched: 0,
  read: 0,
  unreadable: 0,
  withoutGroundTruth: 0,
  redactionFailed: 0,
  duplicates: 0,
  rows: 0,
});

/** Why there is nothing to store: the step that dropped requests last. */
function noRows(counts: TrafficCounts): AppError {
  if (counts.matched === 0) return inputError('No stored request matches the filter.');
  if (counts.redactionFailed > 0)
    return new AppError(
      'UpstreamError',
      `Personal data could not be removed from any of ${counts.redactionFailed} requests. Check the guardrail and its encoder.`,
      { reason: 'redaction_failed' },
    );
  const reason =
    counts.withoutGroundTruth > 0
      ? `${counts.withoutGroundTruth} have no ground truth. Add feedback, or set require_ground_truth to false`
      : `${counts.unreadable} were truncated, or have no text`;
  return inputError(`None of the ${counts.read} requests read became a row: ${reason}.`);
}

type TrafficRow = Readonly<Record<string, unknown>>;

async function* rowsOf(
  services: TrafficServices,
  { guardrails, router }: Pick<ModelSet, 'guardrails' | 'router'>,
  selection: TrafficSelection,
  counts: TrafficCounts,
  signal: AbortSignal,
): AsyncGenerator<TrafficRow, void> {
  const { limit, redact: profiles, deduplicate } = selection;
  const redact = profiles.length === 0 ? undefined : createRedaction(guardrails, profiles);
  const duplicates = deduplicate && createNearDuplicates(router, deduplicate);
  for await (const some of inParts(examplesOf(services, selection, counts))) {
    const prepared = await Promise.all(
      some.map(async (example) => {
        const kept = redact ? await redact(example, signal) : example;
        return kept && { kept, vector: await duplicates?.vectorOf(kept, signal) };
      }),
    );
    for (const one of prepared) {
      signal.throwIfAborted();
      if (counts.rows === limit) return;
      if (!one) counts.redactionFailed += 1;
      else if (one.vector && duplicates?.isDuplicate(one.kept, one.vector)) counts.duplicates += 1;
      else {
        counts.rows += 1;
        yield cellsOf(one.kept, selection);
      }
    }
    if (counts.rows === limit) return;
  }
}

/** Examples in order, without those that cannot become a row. */
async function* examplesOf(
  services: TrafficServices,
  selection: TrafficSelection,
  counts: TrafficCounts,
): AsyncGenerator<LoggedExample, void> {
  const yieldToOthers = createYielder();
  for await (const rows of selectedRows(services, selection)) {
    const feedback = await services.feedback.on([...new Set(rows.map((row) => row.request_id))]);
    for (const row of rows) {
      await yieldToOthers();
      counts.read += 1;
      const example = loggedExample(row, feedback);
      if (!example || isTooLong(example)) counts.unreadable += 1;
      else if (selection.requiresGroundTruth && truthOf(example, selection.groundTruth) === null)
        counts.withoutGroundTruth += 1;
      else yield example;
    }
  }
}

const isTooLong = ({ row, answer }: LoggedExample): boolean =>
  row.request.length > MAX_CELL_CHARACTERS || (answer?.length ?? 0) > MAX_CELL_CHARACTERS;

async function* selectedRows(
  { promptLog }: Pick<TrafficServices, 'promptLog'>,
  { filter, sample, seed, limit }: TrafficSelection,
): AsyncGenerator<readonly PromptRow[], void> {
  const purpose = { purpose: 'dataset', filter, limit };
  if (sample === 'newest') yield* promptLog.readAll(filter, purpose);
  else yield* promptLog.readThese(await sampledIds(promptLog.ids(filter), limit, seed), purpose);
}

/** A sample of all IDs, of which only the sample is in memory. The same seed selects the same ones. */
async function sampledIds(
  all: AsyncIterable<readonly string[]>,
  size: number,
  seed: number,
): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const sample: string[] = [];
  let seen = 0;
  for await (const ids of all) {
    for (const id of ids) {
      seen += 1;
      if (sample.length < size) sample.push(id);
      else {
        const place = random.below(seen);
        if (place < size) sample[place] = id;
      }
    }
  }
  return sample;
}

async function* inParts<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[], void> {
  let part: Item[] = [];
  for await (const item of items) {
    part.push(item);
    if (part.length < CONCURRENT) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function truthOf({ answer, feedback }: LoggedExample, groundTruth: GroundTruth): string | null {
  const { thumb, label, expectedOutput } = feedback;
  if (groundTruth === 'answer') return answer;
  if (groundTruth === 'label') return label;
  if (groundTruth === 'expected_output') return expectedOutput;
  if (groundTruth === 'good_answer') return expectedOutput ?? (thumb === 'up' ? answer : null);
  return null;
}

/** A row. All rows have the same columns. */
function cellsOf(example: LoggedExample, { fields, groundTruth }: TrafficSelection): TrafficRow {
  const { row, messages, tools, answer, feedback } = example;
  const { thumb, score, label, text } = feedback;
  const cells: Readonly<Record<TrafficField, unknown>> = {
    messages,
    tools: tools.length === 0 ? null : tools,
    answer,
    thumb,
    score,
    label,
    text,
    at: rfc3339(row.at),
    model: row.model,
    endpoint: row.endpoint,
    user_id: row.user_id,
  };
  return {
    examples: textOfLast(messages),
    ...(groundTruth === 'none' ? {} : { ground_truth: truthOf(example, groundTruth) }),
    request_id: row.request_id,
    ...Object.fromEntries(fields.map((name) => [name, cells[name]])),
  };
}
