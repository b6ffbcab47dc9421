import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { openWorkerJob, useWorkerJobs } from './worker-job.ts';

await useWorkerJobs();

/** Members for the requests of all APIs; routes ignore members of other APIs. */
const bodyFor = (model: string) => ({
  model,
  messages: [{ role: 'user', content: 'hello' }],
  max_tokens: 9,
  input: 'hello',
  prompt: 'hello',
  query: 'hello',
  documents: ['hello'],
  contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
  content: { parts: [{ text: 'hello' }] },
  requests: [{ model: `models/${model}`, content: { parts: [{ text: 'hello' }] } }],
});

describeDatabases((database) => {
  test.each([null, 'ada'])("the token of a job owned by %s can call only the job's models", async (owner) => {
    const backend = { kind: 'gateway', model: 'openai:moods' } as const;
    const { gateway, token, asked, asWorker } = await openWorkerJob(database, 4, { backend }, owner);
    const described = (await gateway.request('/openapi.json')).body as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const routes = Object.entries(described.paths).filter(
      ([path, item]) => 'post' in item && MODELS.test(path),
    );
    expect(routes.length).toBeGreaterThan(20);
    const headers = { 'X-Gateway-Key': `Bearer ${token}` };
    const call = async (path: string, model: string) =>
      await gateway.ask('POST', path.replace('{model}', model), bodyFor(model), headers);
    // The first request of a worker, which creates the account for jobs of the master key.
    await asWorker('GET', '/job');
    expect((await call('/v1/chat/completions', 'openai:moods')).status).toBe(200);
    const before = await asked();
    const answers: unknown[] = [];
    for (const [path] of routes) {
      const { status, text } = await call(path, 'openai:gpt-4o');
      // Forms and stored provider objects are rejected before the model is read.
      const isRefused =
        text.includes('is not one of this job’s models') || [401, 404, 405, 415].includes(status);
      if (!isRefused) answers.push({ path, status, text });
    }
    expect(answers).toEqual([]);
    expect(await asked()).toBe(before);
  });
});

/** Everything that calls a model or stores something at a provider. */
const MODELS =
  /^\/(?:v1|v1beta|openai)\/(?!admin|me|keys|users|teams|organizations|budgets|alerts|providers|aliases|pricing)/;
