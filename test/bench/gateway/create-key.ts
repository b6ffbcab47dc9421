/** The master key of gateways that benchmarks start. */
export const MASTER_KEY = 'the-master-key-of-the-benchmark-0123456789';

/** The key of a user, by default with a budget that is never reached. */
export async function createKey(port: number, hasBudget = true): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const limits = { max_budget: 1_000_000, budget_duration_sec: 86_400 };
  const budget = hasBudget ? await post('/v1/budgets', limits) : {};
  await post('/v1/users', { user_id: 'bench', budget_id: budget['budget_id'] });
  const { key } = await post('/v1/keys', { user_id: 'bench' });
  return String(key);
}
