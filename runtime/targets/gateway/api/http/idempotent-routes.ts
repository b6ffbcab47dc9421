import { createHash } from 'node:crypto';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import type { Principal } from '#serve/access.ts';
import { readBytes } from '#serve/http/body.ts';
import { boundaryOf } from '#serve/http/multipart.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { Claim, Outcome } from '../../accounts/idempotency/idempotency.ts';
import type { IdempotencySettings } from '../../accounts/idempotency/idempotency-settings.ts';
import type { StoredResponse } from '../../accounts/idempotency/sealed-response.ts';
import { tokenIn } from '../../accounts/identity/credentials.ts';
import type { Payer, Spender } from '../../accounts/identity/identity.ts';
import type { ModelCallContext } from '../../context.ts';
import type { ReplayNotes } from '../../requests/completions/completion.ts';
import { readDirectives } from '../../requests/cache/cacheable.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { anyPayerOf } from '../guards.ts';

/** @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/ */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Set on responses to requests that did not run, because an earlier request with the same key did. */
export const REPLAYED_HEADER = 'Idempotent-Replayed';

const MAX_KEY_LENGTH = 255;
const VISIBLE = /^[!-~]+$/;

type IdempotentContext = Pick<ModelCallContext, 'idempotency' | 'kernel' | 'state'>;

/**
 * Adds `Idempotency-Key` to all routes that create something or call a model: every POST route with a guard
 * that does not declare that repeating its requests has no further effect.
 */
export function idempotentRoutes(
  context: IdempotentContext,
  options: GatewayAppOptions,
  routes: readonly Route[],
): readonly Route[] {
  const around = idempotent(context, options);
  return routes.map((route) => {
    if (route.method !== 'post' || route.guard.isOpen === true || route.isRepeatable === true) return route;
    const { operation } = route;
    return { ...route, around, operation: operation && withKey(operation) };
  });
}

const withKey = (operation: Operation): Operation => ({
  ...operation,
  parameters: [
    ...(operation.parameters ?? []),
    {
      name: IDEMPOTENCY_HEADER,
      in: 'header',
      description:
        'Runs the request only once: further requests with the same key and body get the same response.',
      schema: Type.String({ minLength: 1, maxLength: MAX_KEY_LENGTH, pattern: VISIBLE.source }),
      example: '0b6f3a0e-6b0c-4f0e-9c56-2f4d1c8f8a51',
    },
  ],
  errors: [
    ...operation.errors,
    ...([400, 409, 422] as const).filter((one) => !operation.errors.includes(one)),
  ],
});

/** Requests without the header only cost this comparison. */
function idempotent(context: IdempotentContext, options: GatewayAppOptions): MiddlewareHandler<ShellEnv> {
  const { idempotency, kernel } = context;
  return async (c, next) => {
    const header = c.req.header(IDEMPOTENCY_HEADER);
    if (header === undefined || !idempotency.settings().enabled) return await next();
    const caller = c.get('caller');
    const payer = anyPayerOf(caller);
    // The workers of a job repeat rows in their own way.
    if (!caller || !payer || payer.kind === 'work') return await next();
    const key = keyIn(header);
    const callsModel = 'payer' in caller;
    const hold = kernel.requestMemory.open(caller.name);
    // The request continues if its client disconnects, so its memory is released when it has ended.
    c.set('openHold', () => hold);
    try {
      const { maxBodyBytes, ...limits } = modelBodyOptions(options);
      const body = await readBytes(c, maxBodyBytes, limits);
      const found = await idempotency.claim({
        ...ownerOf(payer),
        key,
        fingerprint: fingerprintOf(c, body),
        requestId: c.get('requestId'),
        credential: tokenIn(c.req.raw.headers) ?? '',
        signal: c.req.raw.signal,
      });
      if ('finish' in found)
        await run(c, next, { claim: found, hold, body, callsModel, settings: idempotency.settings() });
      else {
        hold.release();
        if (callsModel) await countRepetition(context, payer);
        return sendAgain(c, found);
      }
    } catch (error) {
      hold.release();
      throw error;
    }
  };
}

/** Repeated responses are free, but as limited as other free calls. */
async function countRepetition({ state }: IdempotentContext, payer: Payer): Promise<void> {
  if (payer.kind === 'master') return;
  const { end } = await state.ledger.admitFree(await state.identity.spender(payer, undefined));
  end();
}

interface RunParts {
  readonly claim: Claim;
  readonly hold: ByteHold;
  readonly body: Uint8Array;
  readonly callsModel: boolean;
  readonly settings: Pick<IdempotencySettings, 'maxResponseBytes'>;
}

/** Runs a request, and stores its response. */
async function run(
  c: Context<ShellEnv>,
  next: Next,
  { claim, hold, body, callsModel, settings }: RunParts,
): Promise<void> {
  const { raw } = c.req;
  const { signal } = raw;
  const notes = createNotes(callsModel);
  const finish = async (status: number, response?: StoredResponse, problem?: string): Promise<void> => {
    const outcome = notes.outcome(status);
    await claim.finish({ ...outcome, response, problem: outcome.problem ?? problem });
    hold.release();
  };
  try {
    if (readDirectives(raw.headers.get('cache-control')).noStore)
      notes.forbid('the request forbids storing it');
    c.req.raw = detached(raw, body);
    c.set('caller', { ...c.get('caller'), replay: notes.replay } as Principal);
    await next();
    const { maxResponseBytes: maxBytes } = settings;
    c.res = await keepResponse(c.res, { finish, isStream: notes.isStream(), hold, signal, maxBytes });
  } catch (error) {
    // Repeated calls do nothing.
    await finish(500);
    throw error;
  }
}

/** The key, with or without the quotes of a structured field. */
function keyIn(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key.length > 0 && key.length <= MAX_KEY_LENGTH && VISIBLE.test(key)) return key;
  throw new AppError(
    'MalformedError',
    `Invalid Idempotency-Key: expected 1 to ${MAX_KEY_LENGTH} visible ASCII characters, for example a UUID.`,
    { reason: 'invalid_idempotency_key' },
  );
}

/** Keys belong to an API key: others of the same user can be for other people. */
function ownerOf(payer: Exclude<Payer, { readonly kind: 'work' }>) {
  if (payer.kind === 'master') return { caller: 'master', ownerId: '', apiKeyId: null };
  return { caller: `key ${payer.key.id}`, ownerId: payer.user.ownerId, apiKeyId: payer.key.id };
}

/** Hash of a request, without its credential. A form has a new boundary each time that it is sent. */
function fingerprintOf(c: Context, body: Uint8Array): string {
  const { pathname, searchParams } = new URL(c.req.url);
  searchParams.delete('key');
  const hash = createHash('sha256').update(JSON.stringify([c.req.method, pathname, searchParams.toString()]));
  const boundary = boundaryOf(c.req.header('Content-Type'));
  if (boundary === undefined) return hash.update(body).digest('base64url');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let from = 0;
  for (let at = bytes.indexOf(boundary); at >= 0; at = bytes.indexOf(boundary, from)) {
    hash.update(bytes.subarray(from, at)).update('\0');
    from = at + boundary.length;
  }
  return hash.update(bytes.subarray(from)).digest('base64url');
}

/** The request with a body that has been read, whose signal is not aborted when the client disconnects. */
function detached(request: Request, body: Uint8Array): Request {
  const headers = new Headers(request.headers);
  for (const name of ['content-encoding', 'transfer-encoding']) headers.delete(name);
  if (request.body !== null || body.length > 0) headers.set('content-length', String(body.length));
  return new Request(request.url, {
    method: request.method,
    headers,
    ...(body.length > 0 && { body: Buffer.from(body) }),
  });
}

/** What is noted about a request while it runs. */
interface Notes {
  readonly replay: ReplayNotes;
  readonly forbid: (problem: string) => void;
  readonly isStream: () => boolean;
  readonly outcome: (status: number) => Pick<Outcome, 'hasEffect' | 'problem' | 'ownerId'>;
}

function createNotes(callsModel: boolean): Notes {
  let payer: Spender | undefined;
  let problem: string | undefined;
  let isStream = false;
  const forbid = (text: string): void => void (problem ??= text);
  return {
    replay: {
      billed(spender) {
        payer = spender;
        if (spender.key?.logPrompts === false) forbid('the key’s settings forbid storing it');
      },
      restored: () => forbid('it contains values that guardrails mask'),
      streamed: () => void (isStream = true),
    },
    forbid,
    isStream: () => isStream,
    outcome: (status) => ({
      hasEffect: callsModel ? payer !== undefined : status < 300,
      problem,
      ownerId: payer?.user.ownerId,
    }),
  };
}

interface KeepParts {
  readonly finish: (status: number, response?: StoredResponse, problem?: string) => Promise<void>;
  readonly isStream: boolean;
  readonly hold: ByteHold;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Headers that are part of a stored response. All others depend on the request or on the time. */
const KEPT_HEADERS =
  /^(?:content-type|content-disposition|location|allow|retry-after|upload-.*|tus-.*|x-cache.*|x-gateway-.*)$/;

/**
 * Stores a response before its client has received all of it. If the client disconnects, the rest is read
 * anyway, because the client is going to ask for it again.
 */
async function keepResponse(
  response: Response,
  { finish, isStream, hold, signal, maxBytes }: KeepParts,
): Promise<Response> {
  const { status } = response;
  const headers = [...response.headers].filter(([name]) => KEPT_HEADERS.test(name));
  const pieces: Uint8Array[] = [];
  let length = 0;
  const isTooLarge = (): boolean => length > maxBytes;
  const end = (isComplete: boolean): Promise<void> => {
    if (isTooLarge()) return finish(status, undefined, `it is larger than ${maxBytes} bytes`);
    return finish(status, isComplete ? { status, headers, body: Buffer.concat(pieces) } : undefined);
  };
  if (!response.body) {
    await end(true);
    return response;
  }
  const reader = response.body.getReader();
  const next = async (): Promise<Uint8Array | undefined> => {
    try {
      const { done, value } = await reader.read();
      if (done) {
        await end(true);
        return undefined;
      }
      length += value.length;
      if (isTooLarge()) pieces.length = 0;
      else {
        hold.add(value.length);
        pieces.push(value);
      }
      return value;
    } catch (error) {
      await end(false);
      throw error;
    }
  };
  if (!isStream) {
    const all: Uint8Array[] = [];
    for (let piece = await next(); piece; piece = await next()) all.push(piece);
    return new Response(Buffer.concat(all), response);
  }
  const drain = async (): Promise<void> => {
    while (!isTooLarge()) if (!(await next())) return;
    await reader.cancel();
    await end(false);
  };
  let isDrained = false;
  const leave = (): void => {
    if (isDrained) return;
    isDrained = true;
    // The error has already been recorded.
    void drain().catch(() => undefined);
  };
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await next();
        if (isDrained) return;
        if (piece) controller.enqueue(piece);
        else {
          signal.removeEventListener('abort', leave);
          controller.close();
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}

/** Sends a stored response again. */
function sendAgain(c: Context, { status, headers, body }: StoredResponse): Response {
  const sent = Object.fromEntries(headers);
  return c.newResponse(Buffer.from(body), status as StatusCode, { ...sent, [REPLAYED_HEADER]: 'true' });
}
