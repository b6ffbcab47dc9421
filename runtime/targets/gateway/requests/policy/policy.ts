import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Admission } from '../../accounts/ledger/admission.ts';
import type { GuardrailHits } from '../../accounts/guardrail-hits/guardrail-hits.ts';
import type { PromptWriter } from '../../accounts/prompts/prompt-writer.ts';
import type { JsonMember } from '../../shared/json-members.ts';
import type { ModelSet } from '../models/model-set.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { Passed } from '../../providers/shapes/passed.ts';
import { checkInput, type GuardedInput } from './guarded-input.ts';
import { pass } from './pass.ts';
import type { AdmittedRequest, PolicyRequest } from './policy-request.ts';
import { isRecorded, openPromptRecord, type PromptRecord } from './prompt-record.ts';
import { type HitRecorder, NO_HITS, recordHits } from './record-hits.ts';

/** What users have written, before the policy has seen it. */
export interface Content {
  readonly body: Json;
  readonly bytes: Uint8Array;
  /** Members of the body, if they have been listed before. */
  readonly members?: readonly JsonMember[] | undefined;
}

/** A request that the policy has let through. */
export interface Screened {
  /** What is sent to a provider. */
  readonly content: Passed<Content>;
  readonly guarded: GuardedInput;
  /** Records what guardrails flag and mask in the answer. Must be ended. */
  readonly hits: HitRecorder;
  /** Undefined if the request is not stored. It must be ended. */
  readonly prompt: PromptRecord | undefined;
}

type PolicySet = Pick<ModelSet, 'guardrails' | 'prompts'>;

/** The policy of the configuration: guardrails, masking and the log of prompts. Everything that users write passes it on its way to a provider. */
export interface Policy {
  /** Throws an InputError for a request that names an unknown guardrail. */
  requireKnown(content: Pick<Content, 'body'>, set: PolicySet): void;
  /** Checks and masks what a request contains, and opens its record. Throws if a guardrail blocks it. */
  screen(request: AdmittedRequest, content: Content, set: PolicySet): Promise<Screened>;
  /** Records what guardrails flag and mask in an answer that a provider has stored. Must be ended. */
  hits(request: PolicyRequest): HitRecorder;
  /** Whether there is anything to do for a request that names no guardrails. */
  applies(request: PolicyRequest, set: PolicySet): boolean;
  /** Whether requests with the key are stored. */
  isRecorded(request: Pick<PolicyRequest, 'spender'>, set: PolicySet): boolean;
  /** Lets a session through, in which nothing can be checked. Throws if the policy does not allow that. */
  openSession<Call>(call: Call, admission: Admission, set: PolicySet): Passed<Call>;
  /** Opens the record of a request that no provider gets, because its answer is known. */
  record(request: PolicyRequest, content: Content, set: PolicySet): PromptRecord | undefined;
  /** Resolves when all ended records are written that wait. */
  readonly written: () => Promise<void>;
}

export interface PolicyParts {
  readonly guardrailHits: Pick<GuardrailHits, 'add'>;
  readonly prompts: PromptWriter;
  readonly clock: Pick<Clock, 'now'>;
}

export function createPolicy({ guardrailHits, prompts, clock }: PolicyParts): Policy {
  return {
    requireKnown: ({ body }, { guardrails }) => void guardrails.rules(body['guardrails']),
    async screen(request, { body, bytes, members }, { guardrails, prompts: policy }) {
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
    },
    hits: (request) => recordHits(guardrailHits, request, clock),
    applies: (request, { guardrails, prompts: policy }) =>
      guardrails.rules(undefined).length > 0 || isRecorded(request, policy),
    isRecorded: (request, { prompts: policy }) => isRecorded(request, policy),
    openSession(call, _admission, { guardrails }) {
      if (guardrails.admitsSessions) return pass(call);
      throw new AppError('ForbiddenError', NO_SESSIONS, { reason: 'guardrail_unsupported' });
    },
    record: (request, { body }, { prompts: policy }) => openPromptRecord(prompts, policy, request, { body }),
    written: () => prompts.written(),
  };
}

const NO_SESSIONS =
  'Guardrails cannot check realtime sessions, so the policy of this gateway refuses them. Use another route, or ask the administrator to set `guardrails.realtime` to `allow`.';
