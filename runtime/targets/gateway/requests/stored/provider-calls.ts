import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { unknownObject } from '../../accounts/objects/create-objects.ts';
import type { ObjectKind, StoredObject } from '../../accounts/objects/objects.ts';
import type { CurrentModels, ModelSet } from '../models/model-set.ts';
import { isFailed } from '../../providers/adapters/exchange.ts';
import { PROVIDER_LIMITS, type ProviderFailure } from '../../providers/adapters/provider.ts';
import type { ObjectAnswer, ObjectCall } from '../../providers/adapters/other-calls.ts';
import type { PolicedObjects, Router } from '../routing/routing.ts';
import { requiredKeysOf } from '../routing/required-keys.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import { openBytes } from '../../providers/streams/open-bytes.ts';
import type { StoredBytes, StoredRequest } from './stored.ts';
import { withoutContent } from '../policy/without-content.ts';
import { NO_LIMITS, type Admission, type FreeCall } from '../../accounts/ledger/ledger.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Spender, Caller, Identity } from '../../accounts/identity/identity.ts';
import type { PolicyRequest } from '../policy/policy.ts';
import type { Viewer } from '../../shared/owner.ts';

type Owned = Pick<StoredObject, 'kind' | 'id' | 'provider' | 'providerKey'>;

/** A request about an object that contains no content written by users. */
type AskedCall = Pick<ObjectCall, 'method' | 'path' | 'headers' | 'signal'>;

/**
 * Calls the providers of stored objects. Errors are thrown in the form in which the client receives them.
 */
export interface ProviderCalls {
  /** Calls the object's provider on behalf of a user, whose limits apply. */
  ask(request: StoredRequest, object: Owned, call: AskedCall): Promise<ObjectAnswer>;
  openFor(request: StoredRequest, object: Owned, call: AskedCall): Promise<StoredBytes>;
  /**
   * Runs a function that calls a provider on behalf of a user. The user's limits apply until the function
   * is done.
   */
  admitted<Result>(request: StoredRequest, work: (admission: Admission) => Promise<Result>): Promise<Result>;
  call(object: Owned, call: Passed<ObjectCall>): Promise<ObjectAnswer>;
  open(object: Owned, call: Passed<ObjectCall>): Promise<StoredBytes>;
  /** Runs a function with the current model set, which stays open until the function is done. */
  within<Result>(work: (set: ModelSet) => Promise<Result>): Promise<Result>;
}

interface ProviderCallParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger'>;
  readonly models: CurrentModels;
  readonly clock: Clock;
}

export function createProviderCalls({
  state: { identity, ledger },
  models,
  clock,
}: ProviderCallParts): ProviderCalls {
  const within: ProviderCalls['within'] = async (work) => {
    const held = models.hold();
    try {
      return await work(held.set);
    } finally {
      held.release();
    }
  };
  const admit = async ({ caller }: StoredRequest): Promise<Pick<FreeCall, 'end'> & Admission> =>
    caller.kind === 'master'
      ? { ...NO_LIMITS, end: () => undefined }
      : await ledger.admitFree(await identity.spender(caller, undefined));
  const calls: ProviderCalls = {
    within,
    async admitted(request, work) {
      const admission = await admit(request);
      try {
        return await work(admission);
      } finally {
        admission.end();
      }
    },
    ask: async (request, object, call) =>
      await calls.admitted(
        request,
        async (admission) => await calls.call(object, withoutContent(call, admission)),
      ),
    async openFor(request, object, call) {
      const admission = await admit(request);
      try {
        const opened = await calls.open(object, withoutContent(call, admission));
        void opened.pieces.ended.then(admission.end);
        return opened;
      } catch (error) {
        admission.end();
        throw error;
      }
    },
    call: async (object, call) =>
      await within(async ({ router }) => {
        const { objects } = router.provider(object.provider) ?? {};
        const answer = await objectsOf(object, objects).call(withKeyOf(router, object, call));
        if (isFailed(answer)) throw errorOf(answer.failure, object.kind, object.id);
        return answer;
      }),
    async open(object, call) {
      const held = models.hold();
      try {
        const { router } = held.set;
        const { objects } = router.provider(object.provider) ?? {};
        const answer = await objectsOf(object, objects).open(withKeyOf(router, object, call));
        if (isFailed(answer)) throw errorOf(answer.failure, object.kind, object.id);
        const { idleMs, streamMs: maxMs } = PROVIDER_LIMITS;
        const { type, body } = answer;
        const timing = { clock, startedAt: clock.now(), idleMs, maxMs, signal: call.signal };
        const { stream } = await openBytes({ ...timing, body, summary: NOTHING, canBeEmpty: true });
        const pieces = stream.forward({ clock, settle: () => Promise.resolve() });
        void pieces.ended.then(held.release);
        return { type, pieces };
      } catch (error) {
        held.release();
        throw error;
      }
    },
  };
  return calls;
}

/** An object is only known to the key that created it. */
function withKeyOf(router: Router, object: Owned, call: Passed<ObjectCall>): Passed<ObjectCall> {
  const requiredKeys = requiredKeysOf(router, [object]);
  return requiredKeys ? derivedFrom(call, { ...call, requiredKeys }) : call;
}

const NOTHING = { usage: undefined, outputLength: 0, outputText: '', finishReason: undefined };

/**
 * Throws an UnavailableError, not a NotFoundError, if the provider was removed from the configuration,
 * because it still stores its objects.
 */
function objectsOf({ kind, id }: Owned, objects: PolicedObjects | undefined): PolicedObjects {
  if (objects) return objects;
  throw new AppError('UnavailableError', `The provider of ${kind} '${id}' is not configured.`, {
    reason: 'provider_not_configured',
  });
}

/** The error for the client. Providers report an unknown object in the same way as an unknown model. */
const errorOf = ({ kind, error }: ProviderFailure, object: ObjectKind, id: string): AppError =>
  kind === 'model_not_found' ? unknownObject(object, id) : error;

interface About {
  /** Route path. */
  readonly endpoint: string;
  readonly spender: Spender | undefined;
  /** The model string; empty for a file without a model. */
  readonly model: string;
  /** Length of the user's content in bytes. */
  readonly size: number;
}

/** The information about a request for stored objects that the policy receives. */
export const policyRequestOf = (
  { caller, requestId, signal, setHeader }: StoredRequest,
  about: About,
  clock: Pick<Clock, 'now'>,
): PolicyRequest => ({ ...about, caller, requestId, signal, setHeader, startedAt: clock.now() });

/**
 * Determines which objects a request can see: those that its key can see or, with the master key, those of
 * the specified user or of all users.
 */
export const viewerOf = async (
  { viewer }: Pick<Identity, 'viewer'>,
  { caller, user }: Pick<StoredRequest, 'caller' | 'user'>,
): Promise<Viewer> => await viewer(caller, user);

export const keyIdOf = (caller: Caller): string | null => (caller.kind === 'key' ? caller.key.id : null);
