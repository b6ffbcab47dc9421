import { trialOfSettings } from '#gateway/requests/shadow/trial-plans.ts';
import type { OpenGateway } from '../../api/open-gateway.ts';

/** Stores rows of an alias's evaluation, in each of which a judge preferred the candidate by this much. */
export async function addComparedRows(
  { ask, clock, context }: Pick<OpenGateway, 'ask' | 'clock' | 'context'>,
  alias: string,
  preference: number,
  rows = 60,
): Promise<void> {
  const { shadowRecords: records } = context.state;
  const { value } = await context.aliases.get(alias);
  if (!value?.shadow) throw new Error('The alias has no evaluation.');
  const trial = await trialOfSettings(records, alias, value.shadow);
  await records.open(trial);
  await ask('POST', '/v1/users', { user_id: 'ada' });
  await records.add(
    trial.id,
    Array.from({ length: rows }, (_, at) => ({
      id: `${alias} ${at}`,
      at: Math.floor(clock.now()),
      request_id: `request ${at}`,
      user_id: 'ada',
      api_key_id: 'key',
      model: 'openai:current',
      failed: 0,
      scores: { preference: [(1 - preference) / 2, (1 + preference) / 2] as const },
      cost_nano: 2_000_000n,
      candidate_cost_nano: 500_000n,
      scoring_cost_nano: 1_000_000n,
      duration_ms: 900 + at,
      candidate_duration_ms: 600,
      first_ms: null,
      candidate_first_ms: null,
    })),
  );
}
