import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import type { WorkPlan } from '../../accounts/objects/objects.ts';
import type { RequestMasks } from '../../accounts/objects/object-masks.ts';
import type { GuardedInput, Screened } from '../policy/policy.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import { requireOneModel } from '../completions/read-request.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import { countTokensOfRequest } from '../completions/estimate.ts';
import { referencesIn } from '../../providers/references.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** Routes that batch requests can use. */
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

interface PlanParts {
  readonly tokenCounter: TokenCounter;
  readonly assumedOutputTokens: number;
  /** Returns the model for a line. Throws if the model is not allowed. */
  readonly modelOf: (name: string) => BatchModel;
  /** Checks and masks a request in the same way as a direct one. Throws if the policy blocks it. */
  readonly screen: (line: BatchLine) => Promise<Screened>;
  /** Called from time to time to write the screened requests. */
  readonly written: () => Promise<void>;
  /** Throws if one of the IDs in a line belongs to another user's object. */
  readonly requireOwn: (ids: ReadonlySet<string>) => Promise<unknown>;
  /** Digest of the policy that checked the requests. */
  readonly policy: string;
}

/** A request in a batch. */
interface BatchLine {
  readonly endpoint: string;
  readonly body: Json;
  readonly bytes: Uint8Array;
}

interface PlannedBatch {
  /** The file, in which the model names are those of the provider. */
  readonly file: Passed<{ readonly pieces: readonly Uint8Array[] }>;
  readonly plan: WorkPlan;
  /** The values that were masked in its requests. */
  readonly masks: readonly RequestMasks[];
}

/** Number of requests after which the event loop can run other work. */
const PER_TURN = 50;

const MAX_REQUESTS = 100_000;

/**
 * Reads a batch's requests, to determine its cost and replace its model names. Throws a MalformedError for a
 * file that is not a batch.
 */
export async function planBatch(
  file: Iterable<Uint8Array>,
  { tokenCounter, assumedOutputTokens, modelOf, screen, requireOwn, written, policy }: PlanParts,
): Promise<PlannedBatch> {
  const pieces: Uint8Array[] = [];
  const masks: RequestMasks[] = [];
  let passed: Passed<unknown> | undefined;
  let plan: WorkPlan | undefined;
  let line = 0;
  for (const bytes of linesIn(file)) {
    line += 1;
    if (line % PER_TURN === 0) {
      await nextTurn();
      await written();
    }
    const text = bytes.toString('utf8').trim();
    if (text === '') continue;
    const { endpoint, body: given, request } = readLine(text, line);
    await inLine(line, async () => requireOneModel(given));
    const { key, name } = modelOf(String(given['model']));
    plan ??= { endpoint, model: key, requests: 0, inputTokens: 0, outputTokens: 0, policy };
    if (plan.endpoint !== endpoint)
      throw wrong(
        line,
        `is for ${endpoint}, but earlier lines are for ${plan.endpoint}. Use one file per endpoint.`,
      );
    if (plan.model !== key)
      throw wrong(
        line,
        `uses the model ${key}, but earlier lines use ${plan.model}. Use one file per model.`,
      );
    if (plan.requests >= MAX_REQUESTS) throw wrong(line, `exceeds the maximum of ${MAX_REQUESTS} requests.`);
    const { ids } = referencesIn(request);
    if (ids.size > 0) await requireOwn(ids);
    const { content, guarded } = await inLine(line, () => screen({ endpoint, body: given, bytes }));
    passed = content;
    const { guardrails, ...body } = content.body;
    const own = masksOf(request['custom_id'], guarded, guardrails);
    if (own) masks.push(own);
    const rules = ENDPOINTS[endpoint];
    const counts = await countTokensOfRequest(tokenCounter, rules, body, [key]);
    plan = {
      ...plan,
      requests: plan.requests + 1,
      inputTokens: plan.inputTokens + counts.maxPrompt,
      outputTokens: plan.outputTokens + rules.maxOutputTokens(body, assumedOutputTokens),
    };
    // The line is rewritten, so that the provider reads the same members as the gateway, even if a name
    // occurred twice.
    pieces.push(Buffer.from(JSON.stringify({ ...request, body: { ...body, model: name } })));
    pieces.push(LINE_END);
  }
  if (!plan || !passed) throw new AppError('MalformedError', 'The batch file has no requests.');
  return { file: derivedFrom(passed, { pieces }), plan, masks };
}

const LINE_END = Buffer.from('\n');

/** The values to restore in the request's response; undefined if there are none. */
function masksOf(id: unknown, { placeholders }: GuardedInput, guardrails: unknown): RequestMasks | undefined {
  const values = placeholders?.restored() ?? [];
  if (values.length === 0 && guardrails === undefined) return undefined;
  return { customId: String(id), values, ...(guardrails !== undefined && { guardrails }) };
}

/** Runs a function, and adds the line number to errors thrown by the policy. */
async function inLine<Result>(line: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message, reason, details } = AppError.from(error);
    if (code === 'InternalError') throw error;
    throw new AppError(code, `Line ${line} of the batch file: ${message}`, { cause: error, reason, details });
  }
}

function readLine(text: string, line: number) {
  const request = parsed(text, line);
  const { url, body } = request;
  if (!isOneOf(ROUTES, url)) throw wrong(line, `must have a \`url\` that is one of ${ROUTES.join(', ')}.`);
  if (!isObject(body) || typeof body['model'] !== 'string')
    throw wrong(line, 'must have a `body` with a `model`.');
  const names = Object.keys(body);
  if (new Set(names.map((one) => one.toLowerCase())).size < names.length)
    throw wrong(line, 'has names in its `body` that differ only in case.');
  return { endpoint: url, body, request };
}

function parsed(text: string, line: number): Json {
  try {
    const value = parseJsonText(text);
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON causes the error below.
  }
  throw wrong(line, 'is not a JSON object.');
}

const wrong = (line: number, what: string): AppError =>
  new AppError('MalformedError', `Line ${line} of the batch file ${what}`, { reason: 'invalid_batch' });

/**
 * Splits the pieces of a file into lines without line breaks. A line is only copied if it spans several
 * pieces.
 */
export function* linesIn(pieces: Iterable<Uint8Array>): Generator<Buffer, void> {
  let rest: Buffer[] = [];
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let from = 0;
    for (let at = bytes.indexOf(NEW_LINE); at !== -1; at = bytes.indexOf(NEW_LINE, from)) {
      const end = bytes.subarray(from, at);
      yield rest.length === 0 ? end : Buffer.concat([...rest, end]);
      rest = [];
      from = at + 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

const NEW_LINE = 0x0a;
