import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { RequestMasks } from '../../accounts/objects/object-masks.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { PolicyRequest, HitRecorder } from '../policy/policy.ts';
import { screenAnswer } from '../policy/screen-answer.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';
import type { StoredObject } from '../../accounts/objects/objects.ts';
import { createdIds, isUniqueId, createdItems, createdIn } from '../../providers/references.ts';
import type { Json } from '../../providers/shapes/chat.ts';

interface OutputParts {
  readonly guardrails: ModelSet['guardrails'];
  /** The values that were masked in the batch's requests, by request ID. */
  readonly masks: ReadonlyMap<string, RequestMasks>;
  readonly request: PolicyRequest;
  readonly hits: HitRecorder;
}

/**
 * Applies the policy to a batch's output, line by line. A blocked line is replaced by the error that a
 * direct request would get.
 */
export function screenOutput(pieces: ForwardedStream, parts: OutputParts): ForwardedStream {
  const lines = linesOf(pieces);
  return {
    ...pieces,
    async next() {
      const { done, value } = await lines.next().catch(() => END);
      if (done === true) parts.hits.end();
      return done === true ? END : { done: false, value: Buffer.from(`${await screenLine(value, parts)}\n`) };
    },
  };
}

const END = { done: true, value: undefined } as const;

async function screenLine(line: string, { guardrails, masks, request, hits }: OutputParts): Promise<string> {
  const answer = parsed(line);
  if (!isObject(answer)) return line;
  const { custom_id: id, response } = answer;
  if (!isObject(response)) return line;
  const own = typeof id === 'string' ? masks.get(id) : undefined;
  try {
    const rules = guardrails.rules(own?.guardrails);
    const bytes = Buffer.from(JSON.stringify(response['body'] ?? null));
    const body = await screenAnswer(guardrails, rules, { bytes, masks: own }, request, hits.add);
    return JSON.stringify({
      ...answer,
      response: { ...response, body: parseLossless(Buffer.from(body).toString('utf8')) },
    });
  } catch (error) {
    const { message, reason } = AppError.from(error);
    const refused = { error: { message, type: 'invalid_request_error', code: reason ?? null, param: null } };
    return JSON.stringify({ ...answer, response: { ...response, status_code: 403, body: refused } });
  }
}

function parsed(line: string): unknown {
  try {
    return parseLossless(line);
  } catch {
    return undefined;
  }
}

/**
 * The objects that the provider stores for one response in a batch, and the items in the response. All of
 * them belong to the batch's user.
 */
export function storedWith(
  batch: StoredObject,
  model: string,
  answer: Json,
  now: number,
): readonly StoredObject[] {
  const { id, object, store } = answer;
  const of = { ...batch, model, createdAt: Math.floor(now) };
  const created = createdItems(of, createdIn(answer));
  if (object !== 'response' || store === false || typeof id !== 'string' || !isUniqueId(id)) return created;
  const response: StoredObject = {
    ...of,
    kind: 'response',
    id,
    content: { id },
    plan: undefined,
    held: undefined,
  };
  return [response, ...createdItems(response, createdIds(answer)), ...created];
}

/** The lines of a text that arrives in pieces. Throws if the text is incomplete. */
export async function* linesOf(pieces: ForwardedStream): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let isCut = false;
  void pieces.unread.then(() => (isCut = true));
  let rest = '';
  for (;;) {
    const { done, value } = await pieces.next();
    if (isCut) throw new Error('The file was not read completely.');
    if (done === true) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
