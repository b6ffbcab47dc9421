import { afterAll, expect } from 'vitest';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { type FixtureProvider, startFixture } from '../../fixture-provider.ts';
import { instanceOf, priced, runGateway, type RunningTestGateway } from './running-gateway.ts';

export const CHAT = '/v1/chat/completions';

interface FixtureGateway {
  readonly openai: FixtureProvider;
  readonly anthropic: FixtureProvider;
  readonly encoder: FixtureProvider;
  readonly gateway: RunningTestGateway;
  /** A new user with a key. */
  readonly someone: (
    key?: Readonly<Record<string, unknown>>,
    user?: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly userId: string; readonly secret: string }>;
}

/** A gateway in front of three fixtures, for all tests of a file. */
export async function startFixtureGateway(): Promise<FixtureGateway> {
  const [openai, anthropic, encoder] = await Promise.all([
    startFixture('openai'),
    startFixture('anthropic'),
    startFixture('encoder'),
  ]);
  const encoderAt = (name: string, path: string) =>
    ({ name, type: 'encoder', baseUrl: `${encoder.url}${path}`, local: true }) as const;
  const profile = (name: string, of: string) => ({
    name,
    encoder: of,
    labels: ['INJECTION'],
    threshold: 0.5,
  });
  const gateway = await runGateway({
    models: {
      providers: [
        instanceOf('openai', openai, { dialect: { hasResponses: true } }),
        instanceOf('anthropic', anthropic),
        encoderAt('guard', ''),
        encoderAt('down', '/down'),
      ],
      aliases: [
        { name: 'best', targets: [{ model: 'openai:fails-500' }], fallbacks: ['anthropic:good'] },
        { name: 'dear', targets: [{ model: 'openai:good' }], fallbacks: ['anthropic:good'] },
      ],
      pricing: [
        priced('openai:good', 10, 30, 5),
        priced('anthropic:good', 100, 300),
        priced('openai:free', 0, 0),
        priced('openai:no-usage', 10, 30),
      ],
      routing: { retry: { ...RETRY_POLICY, retries: 0 } },
      guardrails: { profiles: [profile('injection', 'guard'), profile('gone', 'down')], demanded: [] },
    },
  });
  afterAll(() => gateway.stop());
  let users = 0;
  return {
    openai,
    anthropic,
    encoder,
    gateway,
    async someone(key = {}, user = {}) {
      const userId = `user-${(users += 1)}`;
      await gateway.user(userId, user);
      return { userId, secret: await gateway.key({ user_id: userId, ...key }) };
    },
  };
}

/** The error in a response, with its status. */
export async function errorIn(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const { detail, error } = (await answer.json()) as { detail: string; error: Record<string, unknown> };
  expect(error['message']).toBe(detail);
  return { status: answer.status, ...error };
}
