import type { Spender } from '../../accounts/identity/identity.ts';
import type { Attempt } from '../routing/routing.ts';
import type { CompletionRequest } from './completion.ts';
import type { LiveRequest } from './live-request.ts';

/** The requests in flight of this process. */
export interface LiveRequests {
  begin(request: CompletionRequest, attempts: readonly Attempt[]): LiveHandle;
  /** The oldest first. */
  list(): readonly LiveRequest[];
}

/** Reports the progress of one request. */
interface LiveHandle {
  readonly admitted: (spender: Spender) => void;
  readonly answeredBy: (model: string) => void;
  readonly end: () => void;
}

export function createLiveRequests(): LiveRequests {
  const live = new Set<LiveRequest>();
  return {
    begin({ requestId, endpoint, startedAt }, attempts) {
      const one: { -readonly [Name in keyof LiveRequest]: LiveRequest[Name] } = {
        requestId,
        endpoint,
        startedAt,
        attempts,
        userId: undefined,
        keyId: undefined,
        teamId: undefined,
        model: undefined,
      };
      live.add(one);
      return {
        admitted({ user, key, groups }) {
          one.userId = user.userId;
          one.keyId = key?.id;
          one.teamId = groups.find(({ kind }) => kind === 'team')?.id;
        },
        answeredBy: (model) => void (one.model = model),
        end: () => void live.delete(one),
      };
    },
    list: () => [...live],
  };
}
