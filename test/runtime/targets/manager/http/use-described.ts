import { afterAll, beforeAll } from 'vitest';
import { type DescribedAnswers, describedAnswers } from '#test/helpers/described-answers.ts';
import { type ManagerWithFiles, serverToml, startWithFiles } from './start-with-files.ts';

const CONFIG = `# The servers of the team.
${serverToml('echo', 'echo')}
# Has approvals.
${serverToml('careful', 'echo', { lazy: true, approvals: [{ tools: ['add'], action: 'ask' }] })}
[[groups]]
name = "research"
servers = ["echo"]
`;

interface DescribedManager {
  readonly manager: () => ManagerWithFiles;
  /** Sends a request and expects the documented response. */
  readonly send: ManagerWithFiles['send'];
}

/** A manager with two servers and a group, for all tests of a file. */
export function useDescribed(): DescribedManager {
  let running: ManagerWithFiles | undefined;
  let described: DescribedAnswers | undefined;
  const manager = (): ManagerWithFiles => {
    if (!running) throw new Error('the manager does not run');
    return running;
  };
  beforeAll(async () => {
    running = await startWithFiles(CONFIG);
    described = describedAnswers((await running.get('/openapi.json')).body);
    await running.get('/api/v1/servers/echo/tools');
  });
  afterAll(() => running?.close());
  return {
    manager,
    async send(method, path, body, key) {
      const answer = await manager().send(method, path, body, key);
      described?.expectDescribed(method, path, answer);
      return answer;
    },
  };
}
