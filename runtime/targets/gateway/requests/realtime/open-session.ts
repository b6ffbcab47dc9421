import type { Duplex } from 'node:stream';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Payer } from '../../accounts/identity/identity.ts';
import { estimateOf, pricesOf } from '../completions/estimate.ts';
import type { CurrentModels } from '../models/model-set.ts';
import { failure } from '../../providers/adapters/failure.ts';
import { isFailed } from '../../providers/adapters/exchange.ts';
import type { Policy } from '../policy/policy.ts';
import { openRealtimeAccount, REALTIME, createSessionLog } from './realtime-account.ts';
import { relaySession, type RealtimeSession } from './relay-session.ts';

interface RealtimeParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'prices' | 'priceMaps' | 'objects'>;
  readonly models: CurrentModels;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: Logger;
}

interface SessionRequest {
  readonly caller: Payer;
  /** Authenticates the request's credential again. Rejects once it has expired or was revoked. */
  readonly callerAgain: () => Promise<Payer>;
  readonly user: string | undefined;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Accepts the client's connection once everything else is ready. */
  readonly accept: () => Duplex;
}

/** Opens a session with a model. Throws the error for a client whose connection was not accepted. */
type OpenRealtime = (request: SessionRequest) => Promise<RealtimeSession>;

/** Input tokens reserved per response, enough for the instructions and several minutes of speech. */
const ASSUMED_INPUT_TOKENS = 2000;

export function createRealtime({ state, models, policy, clock, log }: RealtimeParts): OpenRealtime {
  const { identity, ledger, objects } = state;
  return async ({ caller, callerAgain, user, model, headers, requestId, signal, accept }) => {
    const held = models.hold();
    let release: (() => Promise<void>) | undefined;
    try {
      const { router, requirePricing: required, allowUnpriced, assumedOutputTokens: output } = held.set;
      const spender = await identity.spender(caller, user);
      const resolved = router.resolve(model);
      const [target] = resolved.targets;
      const name = resolved.alias ?? target?.key ?? '';
      identity.requireModel(spender, name);
      if (!target?.provider.realtime) throw failure('unsupported', { text: NO_REALTIME }).failure.error;
      const prices = await pricesOf(state, [target], clock.now(), { required, isAudio: true });
      const prompt = ASSUMED_INPUT_TOKENS;
      const audio = { audioInput: prompt, audioOutput: output };
      const account = openRealtimeAccount({
        ledger,
        spender,
        model: target.key,
        price: prices.get(target.key),
        estimate: estimateOf(prices, { prompt, output, audio }, allowUnpriced),
        requestId,
        now: () => clock.now(),
      });
      const admission = await account.reserve({ signal });
      release = () => account.release();
      const owner = spender.user.userId;
      const opening = { model: target.model, headers, signal, owner };
      const { call, checkEvent } = policy.openSession(opening, admission, held.set);
      const opened = await target.provider.realtime(call);
      if (isFailed(opened)) throw opened.failure.error;
      const { socket: upstream, maxFrameBytes, providerKey } = opened;
      account.openedWith(providerKey);
      const onError = (error: unknown): void =>
        log.error({ requestId, err: error }, `usage of ${REALTIME} not recorded`);
      const about = {
        endpoint: REALTIME,
        requestId,
        caller,
        spender,
        model,
        signal,
        setHeader: () => undefined,
      };
      const sessionLog = policy.isRecorded(about, held.set)
        ? createSessionLog({
            model: target.key,
            open: (body) =>
              policy.record(
                { ...about, startedAt: clock.now(), size: JSON.stringify(body).length },
                { body, bytes: NOTHING },
                held.set,
              ),
          })
        : undefined;
      const session = relaySession({
        client: accept(),
        upstream,
        account,
        maxFrameBytes,
        checkEvent,
        requireOwn: (ids) => objects.requireOwn(ids, spender.data.viewer),
        onError,
        log: sessionLog,
      });
      const stopWatching = watchSpender({
        check: async () => identity.requireModel(await identity.spender(await callerAgain(), user), name),
        clock,
        onRevoked: (error) => session.refuse(error),
      });
      void session.ended.finally(() => {
        stopWatching();
        held.release();
      });
      return session;
    } catch (error) {
      await release?.().catch((cause: unknown) =>
        log.error({ requestId, err: cause }, 'budget not released'),
      );
      held.release();
      throw AppError.from(error);
    }
  };
}

const NOTHING = new Uint8Array();

const NO_REALTIME = 'The provider of this model has no realtime API. Use a model from another provider.';

interface WatchParts {
  /** Rejects if the credential is no longer valid, or its user or team can no longer use the model. */
  readonly check: () => Promise<unknown>;
  readonly clock: Pick<Clock, 'after'>;
  readonly onRevoked: (error: AppError) => void;
}

/**
 * With this interval, the session of a revoked or expired credential is closed within a second. Keys and
 * verified tokens are cached, so a check costs almost nothing.
 */
const CHECK_MS = 500;

/** Checks regularly whether the session can continue. Returns a function that stops the checks. */
function watchSpender({ check, clock, onRevoked }: WatchParts): () => void {
  let isStopped = false;
  let disarm = (): void => undefined;
  const look = async (): Promise<void> => {
    try {
      await check();
    } catch (thrown) {
      const error = AppError.from(thrown);
      // The database may be available again later.
      if (FINAL.has(error.code) && !isStopped) {
        isStopped = true;
        onRevoked(error);
      }
    }
    if (!isStopped) disarm = clock.after(CHECK_MS, () => void look());
  };
  disarm = clock.after(CHECK_MS, () => void look());
  return () => {
    isStopped = true;
    disarm();
  };
}

const FINAL: ReadonlySet<AppError['code']> = new Set([
  'UnauthorizedError',
  'ForbiddenError',
  'NotFoundError',
  // A worker that has lost its job.
  'ConflictError',
]);
