import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import { isOneOf } from '../../../../core/values/is-one-of.ts';
import type { WorkPlan } from '../../accounts/objects/objects.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import { countRequest } from '../completions/request-counts.ts';
import type { Json } from '../shapes/chat.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { linesIn } from './batch-lines.ts';

/** Routes that batches can have requests for. */
const ROUTES = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
] as const;

interface BatchModel {
  /** `provider:model`. */
  readonly key: string;
  /** The provider's name. */
  readonly name: string;
}

export interface PlanParts {
  readonly tokenCounter: TokenCounter;
  readonly assumedOutputTokens: number;
  /** The model that a line names. Throws if it is not allowed. */
  readonly modelOf: (name: string) => BatchModel;
}

interface PlannedBatch {
  /** The file with the provider's names of the models. */
  readonly pieces: readonly Uint8Array[];
  readonly plan: WorkPlan;
}

/** Requests after which other work gets a turn. */
const PER_TURN = 50;
const MAX_REQUESTS = 100_000;

/** Reads the requests of a batch, for its cost and for the names of its model. Throws a MalformedError for a file that is none. */
export async function planBatch(
  file: Iterable<Uint8Array>,
  { tokenCounter, assumedOutputTokens, modelOf }: PlanParts,
): Promise<PlannedBatch> {
  const pieces: Uint8Array[] = [];
  let plan: WorkPlan | undefined;
  let line = 0;
  for (const bytes of linesIn(file)) {
    line += 1;
    if (line % PER_TURN === 0) await nextTurn();
    const text = bytes.toString('utf8').trim();
    if (text === '') continue;
    const { endpoint, body, request } = readLine(text, line);
    const { key, name } = modelOf(String(body['model']));
    plan ??= { endpoint, model: key, requests: 0, inputTokens: 0, outputTokens: 0 };
    if (plan.endpoint !== endpoint)
      throw wrong(line, `is for ${endpoint}, others for ${plan.endpoint}. Use one file per route.`);
    if (plan.model !== key) throw wrong(line, `names ${key}, others ${plan.model}. Use one file per model.`);
    if (plan.requests >= MAX_REQUESTS) throw wrong(line, `is one too many: the maximum is ${MAX_REQUESTS}.`);
    const rules = ENDPOINTS[endpoint];
    const counts = await countRequest(tokenCounter, rules, body, [key]);
    plan = {
      ...plan,
      requests: plan.requests + 1,
      inputTokens: plan.inputTokens + counts.maxPrompt,
      outputTokens: plan.outputTokens + rules.maxOutputTokens(body, assumedOutputTokens),
    };
    // Written again, so that the provider reads what was read here, even if a name was there twice.
    pieces.push(Buffer.from(JSON.stringify({ ...request, body: { ...body, model: name } })));
    pieces.push(LINE_END);
  }
  if (!plan) throw new AppError('MalformedError', 'The batch file has no requests.');
  return { pieces, plan };
}

const LINE_END = Buffer.from('\n');

function readLine(text: string, line: number) {
  const request = parsed(text, line);
  const { url, body } = request;
  if (!isOneOf(ROUTES, url)) throw wrong(line, `needs a \`url\` that is one of ${ROUTES.join(', ')}.`);
  if (!isObject(body) || typeof body['model'] !== 'string')
    throw wrong(line, 'needs a `body` with a `model`.');
  const names = Object.keys(body);
  if (new Set(names.map((one) => one.toLowerCase())).size < names.length)
    throw wrong(line, 'has names in its `body` that differ in case only.');
  return { endpoint: url, body, request };
}

function parsed(text: string, line: number): Json {
  try {
    const value = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw wrong(line, 'is not a JSON object.');
}

const wrong = (line: number, what: string): AppError =>
  new AppError('MalformedError', `Line ${line} of the batch file ${what}`, { reason: 'invalid_batch' });
