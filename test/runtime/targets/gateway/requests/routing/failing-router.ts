import { createRouter } from '#gateway/requests/routing/router.ts';
import type { Attempt, RoutingPolicy } from '#gateway/requests/routing/routing.ts';
import { failure } from '#gateway/providers/adapters/failure.ts';
import type { FailureKind, Provider, ProviderCall } from '#gateway/providers/adapters/provider.ts';
import { createTestClock } from '../../test-clock.ts';
import { callOf, chatBody } from '../../test-provider.ts';

/** A random sequence that is the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const OK = {
  kind: 'whole',
  bytes: Buffer.from('{}'),
  text: '',
  summary: { usage: undefined, outputLength: 0, outputText: '', finishReason: 'stop' },
} as const;

/** A router in front of providers that fail as `fails` decides, with its own simulated clock. */
export function routerTo(
  fails: (call: ProviderCall) => boolean,
  policy: Partial<RoutingPolicy> = {},
  kind: FailureKind = 'provider_error',
  upstreamStatus?: number,
) {
  const clock = createTestClock();
  let calls = 0;
  const random = seeded(7);
  const provider = (name: string) =>
    ({
      name,
      type: 'openai',
      chat: (call: ProviderCall) => {
        calls += 1;
        return Promise.resolve(fails(call) ? failure(kind, { upstreamStatus }) : OK);
      },
    }) as unknown as Provider;
  const router = createRouter({ providers: [provider('one'), provider('two')], clock, random, policy });
  return {
    calls: () => calls,
    states: () => router.states(),
    /** Sends requests at a given rate; returns their attempts in order. */
    send: async (
      model: string,
      count: number,
      rate: number,
      owner?: string,
    ): Promise<(readonly Attempt[])[]> => {
      const running: Promise<readonly Attempt[]>[] = [];
      for (let index = 0; index < count; index += 1) {
        running.push(
          router
            .chat(router.resolve(model), callOf('chat', chatBody(model), { owner }), { owner })
            .then(({ attempts }) => attempts),
        );
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(1000 / rate);
      }
      for (let rest = 0; rest < 50; rest += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(200);
      }
      return await Promise.all(running);
    },
  };
}

export const isFailed = (attempts: readonly Attempt[]): boolean => attempts.at(-1)?.outcome !== 'answered';
