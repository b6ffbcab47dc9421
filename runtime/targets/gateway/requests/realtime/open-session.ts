import type { Duplex } from 'node:stream';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GatewayState } from '../../gateway-state.ts';
import type { Payer } from '../../accounts/identity/identity.ts';
import { watchSpender } from '../../accounts/identity/watch-spender.ts';
import { estimateOf, pricesOf } from '../completions/estimate.ts';
import type { CurrentModels } from '../models/model-set.ts';
import { failure } from '../../providers/adapters/failure.ts';
import { isFailed } from '../../providers/adapters/exchange.ts';
import type { Policy } from '../policy/policy.ts';
import type { ProviderQueue } from '../routing/provider-queue.ts';
import { NO_ROOM, openQueued, type QueuedRequest } from '../routing/queued-request.ts';
import { openRealtimeAccount, REALTIME, createSessionLog } from './realtime-account.ts';
import { relaySession, type RealtimeSession } from './relay-session.ts';

interface RealtimeParts {
  readonly state: Pick<GatewayState, 'identity' | 'ledger' | 'prices' | 'priceMaps' | 'objects'>;
  readonly models: CurrentModels;
  readonly policy: Policy;
  readonly providerQueue: ProviderQueue;
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

export function createRealtime({
  state,
  models,
  policy,
  providerQueue,
  clock,
  log,
}: RealtimeParts): OpenRealtime {
  const { identity, ledger, objects } = state;
  return async ({ caller, callerAgain, user, model, headers, requestId, signal, accept }) => {
    const held = models.hold();
    let release: (() => Promise<void>) | undefined;
    let queued: QueuedRequest | undefined;
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
      release = () => account.release();
      const check = async (): Promise<void> =>
        identity.requireModel(await identity.spender(await callerAgain(), user), name);
      queued = openQueued(spender, { model: name, providerQueue, clock, signal, check });
      await queued?.enter();
      const admission = queued
        ? await queued.reserve((wait) => account.reserve(wait))
        : await account.reserve();
      const owner = spender.user.userId;
      const opening = { model: target.model, headers, signal, owner };
      const { call, checkEvent } = policy.openSession(opening, admission, held.set);
      let opened = await target.provider.realtime(call);
      while (isFailed(opened)) {
        const { kind, error } = opened.failure;
        if (!queued || !NO_ROOM.has(kind)) throw error;
        // The reservation is kept, as for other requests.
        await queued.waitAfter(error);
        opened = await target.provider.realtime(call);
      }
      queued?.end(true);
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
        check,
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
    } finally {
      queued?.end(false);
    }
  };
}

const NOTHING = new Uint8Array();

const NO_REALTIME = 'The provider of this model has no realtime API. Use a model from another provider.';
