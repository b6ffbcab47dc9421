import { Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import {
  datasetFromRequests,
  GROUND_TRUTHS,
  MAX_COMPARED_ROWS,
  MAX_ROWS,
  SAMPLES,
  TRAFFIC_FIELDS,
  type TrafficCounts,
} from '../evaluation/traffic/dataset-from-requests.ts';
import { dataset } from './datasets-schemas.ts';
import { DATASET, datasetView } from './datasets.ts';
import { viewOf } from './guards.ts';
import { count, maybe, nonEmptyText } from './http/fields.ts';
import { tags } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { promptFilter, promptFilterIn } from './prompt-filters.ts';

const DEFAULT_LIMIT = 1000;
const DEFAULT_THRESHOLD = 0.95;
const MAX_REDACTIONS = 8;

const datasetFromRequestsBody = closed('DatasetFromRequests', {
  filename: maybe(nonEmptyText('Name of the dataset. Default: `requests.jsonl`.', 255)),
  tags: maybe(tags),
  filter: maybe(promptFilter),
  limit: maybe(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ROWS,
      description: `Maximum number of rows. Default: ${DEFAULT_LIMIT}. With \`deduplicate\`, the maximum is ${MAX_COMPARED_ROWS}.`,
    }),
  ),
  sample: maybe(
    oneOf(SAMPLES, {
      description:
        'Which requests to use if more match. `random` selects `limit` requests before reading them, so dropped ones are not replaced. Default: newest.',
    }),
  ),
  seed: maybe(
    Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, description: 'Seed of `random`. Default: 0.' }),
  ),
  redact: maybe(
    Type.Array(nonEmptyText('Name of a guardrail with `action: mask`.', 100), {
      maxItems: MAX_REDACTIONS,
      description:
        'Guardrails that replace personal data with placeholders, the same for each occurrence in a row. Requests that cannot be checked are dropped.',
    }),
  ),
  deduplicate: maybe(
    closed('DeduplicateRequests', {
      model: nonEmptyText('Name of an encoder in the configuration that computes embeddings.', 200),
      threshold: maybe(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1,
          description: `Cosine similarity from which a request is a duplicate of an earlier row. Default: ${DEFAULT_THRESHOLD}.`,
        }),
      ),
    }),
  ),
  ground_truth: maybe(
    oneOf(GROUND_TRUTHS, {
      description:
        'Source of the ground truth. `good_answer`: the expected output in the feedback or, after a thumb up, the response. Default: good_answer.',
    }),
  ),
  require_ground_truth: maybe(
    Type.Boolean({ description: 'Drop requests without a ground truth. Default: false.' }),
  ),
  fields: maybe(
    Type.Array(oneOf(TRAFFIC_FIELDS), {
      uniqueItems: true,
      description:
        'Columns in addition to `examples`, `ground_truth` and `request_id`. Default: all except `user_id`.',
    }),
  ),
  dry_run: maybe(Type.Boolean({ description: 'Only count. Nothing is stored. Default: false.' })),
});

export const fromRequests = closed('RequestsDataset', {
  dataset: orNull(dataset, 'The dataset; null for a dry run.'),
  counts: closed('RequestCounts', {
    matched: count('Requests that match the filter.'),
    read: count('Requests that were read until the limit was reached.'),
    unreadable: count('Truncated requests, and those without a text.'),
    without_ground_truth: count('Requests dropped by `require_ground_truth`.'),
    redaction_failed: count('Requests that could not be redacted.'),
    duplicates: count('Near-duplicates of earlier rows.'),
    rows: count('Rows in the dataset.'),
  }),
});

const countsView = (counts: TrafficCounts) => ({
  matched: counts.matched,
  read: counts.read,
  unreadable: counts.unreadable,
  without_ground_truth: counts.withoutGroundTruth,
  redaction_failed: counts.redactionFailed,
  duplicates: counts.duplicates,
  rows: counts.rows,
});

/** Timeout for reading, redacting and comparing. */
const TIMEOUT_MS = 600_000;

/** `/api/v1/datasets/from-requests`: datasets of stored requests. */
export function trafficDatasetRoutes(
  { state, jobs, models }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const services = { promptLog: state.promptLog, feedback: state.feedback, datasets: jobs.datasets };

  return [
    route({
      method: 'post',
      path: `${API}/datasets/from-requests`,
      guard: guards.admin,
      tag: 'Datasets',
      id: 'createDatasetFromRequests',
      summary: 'Create a dataset from stored requests.',
      description:
        'Requests are stored only for keys with `log_prompts`. Reading them is recorded in the audit log. The response is sent after all rows are stored.',
      request: {
        schema: datasetFromRequestsBody,
        examples: {
          wrong: {
            filename: 'wrong-answers.jsonl',
            filter: { model: 'openai:gpt-5-mini', thumb: 'down' },
            redact: ['personal-data'],
            deduplicate: { model: 'e5', threshold: 0.95 },
            require_ground_truth: true,
          },
        },
      },
      answer: answerOf('The dataset, and the number of requests after each step.', fromRequests, {
        dataset: { ...DATASET, filename: 'wrong-answers.jsonl', row_count: 210, source: 'requests' },
        counts: {
          matched: 412,
          read: 412,
          unreadable: 3,
          without_ground_truth: 150,
          redaction_failed: 0,
          duplicates: 49,
          rows: 210,
        },
      }),
      statuses: [200, 201],
      errors: [502],
      run: async (c, body) => {
        const limit = body.limit ?? DEFAULT_LIMIT;
        if (body.deduplicate && limit > MAX_COMPARED_ROWS)
          throw inputError(
            `With deduplicate, limit must be at most ${MAX_COMPARED_ROWS}, not ${limit}. Reduce limit, or use a time range per dataset.`,
          );
        const selection = {
          filter: promptFilterIn(body.filter ?? {}),
          limit,
          sample: body.sample ?? 'newest',
          seed: body.seed ?? 0,
          redact: body.redact ?? [],
          deduplicate: body.deduplicate
            ? {
                encoder: body.deduplicate.model.replace(/^encoder:/, ''),
                threshold: body.deduplicate.threshold ?? DEFAULT_THRESHOLD,
              }
            : undefined,
          groundTruth: body.ground_truth ?? 'good_answer',
          requiresGroundTruth: body.require_ground_truth ?? false,
          fields: body.fields ?? TRAFFIC_FIELDS.filter((name) => name !== 'user_id'),
        } as const;
        const target = {
          filename: body.filename ?? 'requests.jsonl',
          owner: viewOf(c).owner,
          tags: body.tags ?? [],
        };
        const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(TIMEOUT_MS)]);
        const { set, release } = models.hold();
        try {
          const isDry = body.dry_run ?? false;
          const made = await datasetFromRequests(
            services,
            set,
            selection,
            isDry ? undefined : target,
            signal,
          );
          const counts = countsView(made.counts);
          if (!made.dataset) return { dataset: null, counts };
          const location = { Location: `${API}/datasets/${made.dataset.id}` };
          return c.json({ dataset: datasetView(made.dataset), counts }, 201, location);
        } finally {
          release();
        }
      },
    }),
  ];
}
