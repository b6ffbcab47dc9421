import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';
import type { GuardrailHits } from '../../accounts/guardrail-hits/guardrail-hits.ts';
import type { Payer, Spender } from '../../accounts/identity/identity.ts';
import { type Admission } from '../../accounts/ledger/ledger.ts';
import type { PromptWriter, Prompt } from '../../accounts/prompts/prompt-writer.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Passed } from '../../providers/shapes/passed.ts';
import type { PromptPolicy } from '../../providers/shapes/policies.ts';
import type { StreamGuard } from '../../providers/streams/stream.ts';
import type { JsonMember } from '../../shared/json-members.ts';
import { statusAfter, type HitMode } from '../../shared/record-words.ts';
import type { GuardrailRule, Guardrails, GuardrailVerdict } from '../guardrails/guardrail.ts';
import { withoutImages } from '../guardrails/image-inputs.ts';
import { createPlaceholders, type Placeholders } from '../guardrails/mask/placeholders.ts';
import type { ModelSet } from '../models/model-set.ts';
import { requireNoServers } from './mcp-servers.ts';
import { pass } from './pass.ts';

/** User content before it has passed the policy. */
export interface RequestContent {
  readonly body: Json;
  readonly bytes: Uint8Array;
  /** The body's members, if they have already been listed. */
  readonly members?: readonly JsonMember[] | undefined;
}

/** A request that has passed the policy. */
export interface Screened {
  /** The content that is sent to a provider. */
  readonly content: Passed<RequestContent>;
  readonly guarded: GuardedInput;
  /** Records what guardrails flag and mask in the response. Its `end` must be called. */
  readonly hits: HitRecorder;
  /** Undefined if the request is not stored. Must be ended. */
  readonly prompt: PromptRecord | undefined;
}

type PolicySet = Pick<ModelSet, 'guardrails' | 'prompts' | 'tools'>;

/**
 * The configured policy: guardrails, masking and the prompt log. All user content passes through the policy
 * on its way to a provider.
 */
export interface Policy {
  /** Throws an InputError for a request that specifies an unknown guardrail. */
  requireKnown(content: Pick<RequestContent, 'body'>, set: PolicySet): void;
  /**
   * Checks and masks a request's content, and opens its record. Throws if a guardrail blocks it, or if it contains
   * MCP servers that no provider must receive. Without guardrails, the result is returned directly rather than as a
   * promise.
   */
  screen(request: AdmittedRequest, content: RequestContent, set: PolicySet): Screened | Promise<Screened>;
  /** Records what guardrails flag and mask in a response stored by a provider. Must be ended. */
  hits(request: PolicyRequest): HitRecorder;
  /** Whether the policy has anything to do for a request that does not specify guardrails. */
  applies(request: PolicyRequest, set: PolicySet): boolean;
  /** Whether requests with the key are stored. */
  isRecorded(request: Pick<PolicyRequest, 'spender'>, set: PolicySet): boolean;
  /**
   * Passes the call that opens a realtime session, whose content guardrails cannot check. Throws if the policy
   * does not allow such sessions.
   */
  openSession<Call>(call: Call, admission: Admission, set: PolicySet): PassedSession<Call>;
  /**
   * Opens the record of a request that is not sent to a provider because its response is already known,
   * e.g. from the cache.
   */
  record(request: PolicyRequest, content: RequestContent, set: PolicySet): PromptRecord | undefined;
  /**
   * Removes from a text what is removed from stored requests. Rejects if this takes too long; nothing must be
   * stored in that case.
   */
  redact(text: string, set: PolicySet): Promise<string>;
  /** Resolves when all records that have ended are written. */
  readonly written: () => Promise<void>;
}

interface PassedSession<Call> {
  readonly call: Passed<Call>;
  /** Throws an InputError for an event that the provider must not receive. */
  readonly checkEvent: (event: Json) => void;
}

interface PolicyParts {
  readonly guardrailHits: Pick<GuardrailHits, 'add'>;
  readonly prompts: PromptWriter;
  readonly clock: Pick<Clock, 'now'>;
}

export function createPolicy({ guardrailHits, prompts, clock }: PolicyParts): Policy {
  const check = async (
    request: AdmittedRequest,
    { body, bytes, members }: RequestContent,
    { guardrails, prompts: policy }: PolicySet,
  ): Promise<Screened> => {
    const rules = guardrails.rules(body['guardrails']);
    const hits = rules.length === 0 ? NO_HITS : recordHits(guardrailHits, request, clock);
    try {
      const guarded = await checkInput(guardrails, rules, body, request, hits.add);
      const sent = guarded.body
        ? { body: guarded.body.json, bytes: guarded.body.bytes }
        : { body, bytes, members };
      const prompt = openPromptRecord(prompts, policy, request, { body: sent.body, masks: guarded.masks });
      return { content: pass(sent), guarded, hits, prompt };
    } finally {
      hits.end();
    }
  };
  return {
    requireKnown({ body }, { guardrails }) {
      if (body['guardrails'] !== undefined) guardrails.rules(body['guardrails']);
    },
    screen(request, content, set) {
      const { body, bytes, members } = content;
      requireNoServers(body, set.tools);
      if (body['guardrails'] !== undefined || set.guardrails.always.length > 0)
        return check(request, content, set);
      const prompt = openPromptRecord(prompts, set.prompts, request, { body });
      return { content: pass({ body, bytes, members }), guarded: NOT_GUARDED, hits: NO_HITS, prompt };
    },
    hits: (request) => recordHits(guardrailHits, request, clock),
    applies: (request, { guardrails, prompts: policy }) =>
      guardrails.always.length > 0 || isRecorded(request, policy),
    isRecorded: (request, { prompts: policy }) => isRecorded(request, policy),
    openSession(call, _admission, { guardrails, tools }) {
      if (guardrails.admitsSessions)
        return { call: pass(call), checkEvent: (event) => requireNoServers(event, tools) };
      throw new AppError('ForbiddenError', NO_SESSIONS, { reason: 'guardrail_unsupported' });
    },
    record: (request, { body }, { prompts: policy }) => openPromptRecord(prompts, policy, request, { body }),
    redact: (text, { prompts: policy }) => prompts.redact(text, policy.patterns),
    written: () => prompts.written(),
  };
}

/** A request that no rule applies to. */
const NOT_GUARDED: GuardedInput = { rules: [], verdicts: [] };

const NO_SESSIONS =
  'Guardrails cannot check realtime sessions, so the gateway’s policy rejects them. Use another endpoint, or ask the administrator to set `guardrails.realtime` to `allow`.';

/** The information about a request that the policy receives. */
export interface PolicyRequest {
  /** Route path. */
  readonly endpoint: string;
  readonly requestId: string;
  readonly caller: Payer;
  /** Undefined for the master key on routes where no user is specified. */
  readonly spender: Spender | undefined;
  /** The model in the request; empty for a request without a model. */
  readonly model: string;
  /** Start of the request in milliseconds since 1970. */
  readonly startedAt: number;
  /** Request length in bytes. */
  readonly size: number;
  readonly signal: AbortSignal;
  /** Sets a response header. */
  readonly setHeader: (name: string, value: string) => void;
}

/** A request that its user's limits have admitted. */
export interface AdmittedRequest extends PolicyRequest {
  readonly admission: Admission;
}

/** A request that passed the guardrails. */
export interface GuardedInput {
  /** The checked body, which is sent instead of the client's; undefined if no rule applies. */
  readonly body?: { readonly bytes: Uint8Array; readonly json: Json } | undefined;
  /** The values that replace placeholders in the response; undefined if nothing was masked. */
  readonly placeholders?: Placeholders | undefined;
  /** All placeholders in the request and its response; undefined if no rule applies. */
  readonly masks?: Placeholders | undefined;
  readonly rules: readonly GuardrailRule[];
  readonly verdicts: readonly GuardrailVerdict[];
}

const VERDICTS_HEADER = 'X-Gateway-Guardrails';

/** Checks a request's texts. Throws if a guardrail blocks it. */
async function checkInput(
  guardrails: Guardrails,
  rules: readonly GuardrailRule[],
  body: Json,
  request: PolicyRequest,
  onVerdicts: OnVerdicts,
): Promise<GuardedInput> {
  if (rules.length === 0) return { rules, verdicts: [] };
  const texts = withoutImages(request.endpoint, body);
  const { verdicts, blocked, masked } = await guardrails.checkInput(rules, texts.body, request);
  setVerdictsHeader(request, verdicts);
  onVerdicts(verdicts);
  if (blocked) throw blocked;
  // The parsed body is serialized and sent, so that the provider reads exactly what was checked, even if
  // the original bytes contained nested members with the same name.
  const json = masked ? texts.restore(masked.body) : body;
  const text = JSON.stringify(json);
  const placeholders = masked?.placeholders;
  const masks = placeholders ?? createPlaceholders(text);
  return { body: { bytes: Buffer.from(text), json }, placeholders, masks, rules, verdicts };
}

export function setVerdictsHeader(
  { setHeader }: Pick<PolicyRequest, 'setHeader'>,
  verdicts: readonly GuardrailVerdict[],
): void {
  const header = monitorHeader(verdicts);
  if (header !== undefined) setHeader(VERDICTS_HEADER, header);
}

export type OnVerdicts = (verdicts: readonly GuardrailVerdict[]) => void;

/** Records what guardrails flag in a request and its response, and how much they mask. */
export interface HitRecorder {
  readonly add: OnVerdicts;
  /**
   * Records how many values were masked since the last call, because a stream is masked piece by piece.
   */
  readonly end: () => void;
}

/** Used for requests that no guardrail checks. */
const NO_HITS: HitRecorder = { add: () => undefined, end: () => undefined };

function recordHits(
  hits: Pick<GuardrailHits, 'add'>,
  { requestId, endpoint, spender, model }: PolicyRequest,
  clock: Pick<Clock, 'now'>,
): HitRecorder {
  const masked = new Map<string, Pick<GuardrailVerdict, 'profile' | 'place'> & { counts: Counts }>();
  const write = (
    rows: readonly (Pick<GuardrailVerdict, 'profile' | 'place' | 'score' | 'explanation'> & {
      mode: HitMode;
    })[],
  ): void => {
    if (rows.length === 0) return;
    hits.add(
      rows.map(({ profile, mode, place, score, explanation }) => ({
        at: clock.now(),
        request_id: requestId,
        user_id: spender?.user.userId ?? null,
        api_key_id: spender?.key?.id ?? null,
        team_id: spender?.groups.find(({ kind }) => kind === 'team')?.id ?? null,
        endpoint,
        model,
        profile,
        mode,
        place,
        score: score ?? null,
        explanation,
      })),
    );
  };
  return {
    add(verdicts) {
      write(verdicts.filter(({ valid }) => !valid));
      for (const { profile, place, masked: found = {} } of verdicts) {
        const key = `${place} ${profile}`;
        for (const [label, count] of Object.entries(found)) {
          const known = masked.get(key) ?? { profile, place, counts: new Map<string, number>() };
          known.counts.set(label, (known.counts.get(label) ?? 0) + count);
          masked.set(key, known);
        }
      }
    },
    end() {
      write(
        [...masked.values()].map(({ profile, place, counts }) => {
          const found = [...counts].map(([label, count]) => `${label} ${count}`).join(', ');
          return { profile, place, mode: 'mask', score: undefined, explanation: `masked: ${found}` };
        }),
      );
      masked.clear();
    },
  };
}

type Counts = Map<string, number>;

/** A request that is stored with its response when it has ended. */
export interface PromptRecord {
  /** Writes the record in the background, once. */
  end(model: string, answer: string | undefined, error: AppError | undefined): void;
  /** Collects a stream's text, and passes it on to another guard, if any. */
  collect(guard: StreamGuard | undefined): StreamGuard;
  /** The collected text. */
  readonly collected: () => string;
}

interface RecordedContent {
  /** The body as sent to a model. */
  readonly body: unknown;
  /** The values that were masked in the body and are masked in its response. */
  readonly masks?: Pick<Placeholders, 'values'> | undefined;
}

/** Whether a key's requests are stored, based on the key's setting or, without one, on the gateway's. */
const isRecorded = ({ spender }: Pick<PolicyRequest, 'spender'>, { isDefault }: PromptPolicy): boolean =>
  spender?.key?.logPrompts ?? isDefault;

/**
 * Opens the record of a request. Returns undefined if the key's requests are not stored, which is the
 * default.
 */
function openPromptRecord(
  writer: PromptWriter,
  policy: PromptPolicy,
  request: PolicyRequest,
  { body, masks }: RecordedContent,
): PromptRecord | undefined {
  const { caller, spender, endpoint, startedAt, size, model: requested } = request;
  if (!isRecorded(request, policy)) return undefined;
  const { maxCharacters, patterns } = policy;
  let text = '';
  let isEnded = false;
  return {
    end(model, answer, error) {
      if (isEnded) return;
      isEnded = true;
      const prompt: Prompt = {
        at: startedAt,
        // Usage rows of a job's requests also contain the job ID.
        requestId: caller.kind === 'work' ? caller.jobId : request.requestId,
        userId: spender?.user.userId ?? null,
        keyId: spender?.key?.id ?? null,
        model: model || requested,
        endpoint,
        status: statusAfter(error),
        statusCode: error ? HTTP_STATUS[error.code] : 200,
        tags: spender?.tags ?? [],
        body,
        size,
        answer,
        masked: masks?.values,
        maxCharacters,
        patterns,
      };
      writer.write(prompt);
    },
    collect: (guard) => ({
      async take(piece) {
        // Secrets are removed before the text is truncated, so more text is collected here than is stored.
        if (text.length < 2 * maxCharacters) text += piece;
        return (await guard?.take(piece)) ?? { kind: 'pass' };
      },
      end: async () => (await guard?.end()) ?? { kind: 'pass' },
    }),
    collected: () => text,
  };
}

/**
 * The verdicts on a request as a header value, which must be ASCII. Undefined if there are no verdicts.
 * @internal
 */
export function monitorHeader(verdicts: readonly GuardrailVerdict[]): string | undefined {
  if (verdicts.length === 0) return undefined;
  const items = verdicts.map(({ profile, mode, valid, score }) => ({
    profile,
    mode,
    valid,
    score: score ?? null,
  }));
  return JSON.stringify(items).replaceAll(
    /[^\u0020-\u007e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
