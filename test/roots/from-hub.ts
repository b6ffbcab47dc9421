import { join } from 'node:path';
import { HubRepository } from '../helpers/hub-repository.ts';
import { HubServer } from '../helpers/hub-server.ts';
import type { Session } from './session.ts';

type Contents = ConstructorParameters<typeof HubRepository>[0];

/**
 * Downloads a model from a local hub, builds it and runs the executable, all in the root file system of the session. `output` contains each
 * command, its duration, and its output.
 */
export async function fromHub(
  session: Session,
  id: string,
  contents: Contents,
  text: string,
): Promise<{ exitCode: number; output: string }> {
  const hub = await HubServer.start();
  try {
    hub.add(id, new HubRepository(contents));
    const variables = { HF_ENDPOINT: hub.endpoint, HF_HOME: '/tmp/huggingface' };
    const tool = session.with(session.program, variables);
    const model = session.with(join(session.temporary, 'model.encoder'), variables);
    const steps = [
      { name: 'encoderfile', run: tool.run, args: ['pull', `hf:${id}`, '--quiet'] },
      {
        name: 'encoderfile',
        run: tool.run,
        args: ['build', `hf:${id}`, '-o', '/tmp/model.encoder', '--cache-dir', '/tmp/cache'],
      },
      { name: './model.encoder', run: model.run, args: ['infer', text] },
    ];
    let output = '';
    for (const { name, run, args } of steps) {
      const started = performance.now();
      const { exitCode, stdout, stderr } = await run(...args);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const lines = [`$ ${name} ${args.join(' ')}    # ${seconds} s`, stderr, stdout];
      output += lines
        .filter((each) => each !== '')
        .map((each) => `${each}\n`)
        .join('');
      if (exitCode !== 0) return { exitCode, output };
    }
    return { exitCode: 0, output };
  } finally {
    await hub.close();
  }
}
