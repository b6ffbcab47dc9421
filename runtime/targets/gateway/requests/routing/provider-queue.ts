import { AppError } from '#contract/errors.ts';
import { remember } from '#core/limits/remember.ts';
import type { Clock } from '#platform/clock.ts';
import type {
  QueueSettings,
  WaitingRequests,
  WaitObserver,
  WaitTerms,
} from '../../accounts/ledger/waiting/queue-settings.ts';
import { createWaitLists, type Refusal, type Try } from '../../accounts/ledger/waiting/wait-lists.ts';

/** Requests that wait until a model's providers have room, after a provider has rejected one of them. */
export interface ProviderQueue {
  /** Opens a request's turn at a model, which can be an alias. */
  open(request: TurnRequest): ProviderTurn;
  waiting(): readonly WaitingRequests[];
  /** Rejects all waiting and later requests. */
  stop(error: AppError): void;
}

interface TurnRequest {
  readonly model: string;
  readonly terms: WaitTerms;
  /** How long the request can still wait, in all queues together. */
  readonly patience: { leftMs: number };
  readonly signal: AbortSignal;
  /** Receives the time that the request has waited, each time that it has waited. */
  readonly onWaited: (milliseconds: number) => void;
}

/** A request's turn at a model. */
interface ProviderTurn {
  /** Waits while the model has no room. Throws if the queue is full or the time is over. */
  enter(): Promise<void>;
  /**
   * Waits after a provider has rejected the request. Throws `error` if the request cannot wait any longer,
   * after which the turn has ended.
   */
  waitAfter(error: AppError): Promise<void>;
  /** Ends the turn. Repeated calls have no effect. */
  end(isAccepted: boolean): void;
}

/** A model that has no room, or had none until now. */
interface Saturated {
  /** When a provider can be expected to accept a request. */
  until: number;
  /** Consecutive rejections. */
  repeats: number;
  /** Number of requests that are sent concurrently. It doubles with each accepted one. */
  allowed: number;
  running: number;
}

/** The state of the model in which a request is running. */
interface Place {
  state: Saturated | undefined;
}

interface ProviderQueueParts {
  readonly clock: Clock;
  readonly settings: () => QueueSettings;
  readonly observer?: WaitObserver | undefined;
  readonly random?: () => number;
}

/** Maximum number of models with a state. */
const MAX_MODELS = 1000;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** With more concurrent requests than this, the model is no longer treated as saturated. */
const MAX_ALLOWED = 64;
const noRoom = (model: string): AppError =>
  new AppError('OverloadedError', `The providers of model '${model}' have no room.`, {
    reason: 'rate_limited',
    retryAfterSeconds: 1,
  });

/** A try only compares times, so it can be repeated often. */
const POLL_MS = [100, 200] as const;

/**
 * Creates the queue. After a pause, one request is sent; when a provider accepts it, two are sent, then four,
 * so that the waiting requests do not all arrive together.
 */
export function createProviderQueue({
  clock,
  settings,
  observer,
  random = Math.random,
}: ProviderQueueParts): ProviderQueue {
  const lists = createWaitLists({ clock, random, settings, observer, pollMs: POLL_MS });
  const saturated = new Map<string, Saturated>();

  const enterNow = (model: string, place: Place): boolean => {
    const state = saturated.get(model);
    if (!state) return true;
    if (clock.now() < state.until || state.running >= state.allowed) return false;
    state.running += 1;
    place.state = state;
    return true;
  };
  const leave = (place: Place): Saturated | undefined => {
    const { state } = place;
    if (state) state.running -= 1;
    place.state = undefined;
    return state;
  };

  return {
    open({ model, terms, patience, signal, onWaited }) {
      const place: Place = { state: undefined };
      const wait = async (refusal: Refusal): Promise<void> => {
        const { milliseconds } = await lists.wait(
          {
            terms: { ...terms, maxMs: patience.leftMs },
            signal,
            attempt: (): Promise<Try<true>> =>
              Promise.resolve(
                enterNow(model, place)
                  ? { admitted: true }
                  : { resource: model, error: refusal.error ?? noRoom(model) },
              ),
            giveBack: () => {
              leave(place);
              lists.freed([model]);
            },
          },
          refusal,
        );
        patience.leftMs -= milliseconds;
        onWaited(milliseconds);
      };
      return {
        async enter() {
          if (saturated.size === 0) return;
          const isBusy = lists.busyAmong([model]) !== undefined;
          if (!isBusy && enterNow(model, place)) return;
          await wait({ resource: model });
        },
        async waitAfter(error) {
          const now = clock.now();
          const state = leave(place) ??
            saturated.get(model) ?? { until: 0, repeats: 0, allowed: 1, running: 0 };
          // Requests that were already running when the pause began do not prolong it.
          if (state.until <= now) {
            const { retryAfterSeconds } = error;
            const pause =
              retryAfterSeconds === undefined
                ? FIRST_PAUSE_MS * 2 ** Math.min(state.repeats, 6)
                : retryAfterSeconds * 1000;
            state.until = now + Math.min(LONGEST_PAUSE_MS, pause);
            state.repeats += 1;
            state.allowed = 1;
          }
          remember(saturated, model, state, MAX_MODELS);
          if (patience.leftMs <= 0) throw error;
          await wait({ resource: model, error });
        },
        end(isAccepted) {
          const own = leave(place);
          if (own && isAccepted) {
            own.repeats = 0;
            own.allowed = Math.min(MAX_ALLOWED, own.allowed * 2);
          }
          const state = saturated.get(model);
          if (!state) return;
          const isIdle = state.running === 0 && lists.busyAmong([model]) === undefined;
          if (state.allowed >= MAX_ALLOWED || (isIdle && clock.now() >= state.until)) saturated.delete(model);
          lists.freed([model]);
        },
      };
    },
    waiting: () => lists.waiting(),
    stop: (error) => lists.stop(error),
  };
}
