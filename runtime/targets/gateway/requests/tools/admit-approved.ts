import { AppError } from '#contract/errors.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import { appliesTo } from '../../accounts/ledger/limits.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CompletionRequest } from '../completions/completion.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import { tagsOf, usersOf } from '../completions/read-request.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import type { Policy } from '../policy/policy.ts';

interface AdmissionParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger'>;
  readonly models: CurrentModels;
  readonly policy: Pick<Policy, 'screen'>;
}

/** The calls that a client has approved, and the request that contains the approvals. */
interface ApprovedCalls {
  readonly request: CompletionRequest;
  readonly body: Json;
  readonly model: string;
  /** The arguments of each call. */
  readonly args: readonly string[];
}

/** Admits approved calls; returns the function to call when they have ended. */
export type AdmitApproved = (calls: ApprovedCalls) => Promise<() => void>;

/**
 * Approved calls run before the first model call, which reserves budget and is checked by guardrails. A client can
 * invent approvals, so without a check of their own, calls would run for keys that must not use the model, have spent
 * their budget or exceed their limits, and with arguments that a guardrail blocks. Calls are limited like free
 * provider calls.
 */
export function createAdmitApproved({ state, models, policy }: AdmissionParts): AdmitApproved {
  const { identity, ledger } = state;

  /** Throws if a guardrail blocks the arguments. The record is not ended, because the first round's contains the calls. */
  const screen = async (
    { request, body, model, args }: ApprovedCalls,
    spender: Spender,
    admission: Awaited<ReturnType<typeof ledger.admitFree>>,
    set: ModelSet,
  ): Promise<void> => {
    const content = {
      input: args.map((text) => ({ role: 'user', content: text })),
      ...(body['guardrails'] !== undefined && { guardrails: body['guardrails'] }),
    };
    const bytes = Buffer.from(JSON.stringify(content));
    const about = { ...request, spender, model, size: bytes.length, admission };
    const { hits } = await policy.screen(about, { body: content, bytes }, set);
    hits.end();
  };

  return async (calls) => {
    const { request, body, model } = calls;
    const { endpoint, caller, headers } = request;
    const held = models.hold();
    try {
      const { payer } = usersOf(ENDPOINTS[endpoint], body, caller, held.set.requests);
      const spender = await identity.spender(caller, payer, tagsOf(headers, body).tags);
      const resolved = held.set.router.resolve(model);
      const names = resolved.targets.map(({ key }) => key);
      identity.requireModel(spender, resolved.alias ?? names[0] ?? model);
      await requireBudget(ledger, spender, names);
      const admission = await ledger.admitFree(spender);
      try {
        await screen(calls, spender, admission, held.set);
      } catch (error) {
        admission.end();
        throw error;
      }
      return admission.end;
    } finally {
      held.release();
    }
  };
}

/** Throws if a budget of the request is spent. */
async function requireBudget(
  ledger: AdmissionParts['state']['ledger'],
  spender: Spender,
  models: readonly string[],
): Promise<void> {
  const { user, key, shared, limits } = await ledger.quota(spender);
  const further = limits.filter(({ models: patterns }) =>
    appliesTo({ models: patterns ?? undefined }, models),
  );
  const states = [user, key, ...[...shared, ...further].map(({ state }) => state)];
  if (states.some((one) => one?.remaining === 0n))
    throw new AppError('ForbiddenError', 'The budget is spent, so the approved tool calls were not run.', {
      reason: 'budget_exceeded',
    });
}
