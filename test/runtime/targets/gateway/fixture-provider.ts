import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import { FIXTURES } from '../../../helpers/paths.ts';

export type FixtureWire = 'openai' | 'anthropic' | 'gemini';
export type FixtureName = FixtureWire | 'encoder' | 'azure' | 'bedrock' | 'vertex' | 'travel';

/** The events that a fixture prints, as they occur. */
interface FixtureEvent {
  readonly event: 'request' | 'waiting' | 'closed';
  readonly model: string;
  readonly complete?: boolean;
}

export interface FixtureProvider {
  readonly url: string;
  counts(): Promise<Readonly<Record<string, number>>>;
  last(): Promise<{ readonly path: string; readonly headers: Record<string, string>; readonly body: string }>;
  /** Releases waiting requests. */
  release(): Promise<void>;
  /** The next such event of a model, including one that already occurred; each is returned once. */
  happened(event: FixtureEvent['event'], model: string): Promise<FixtureEvent>;
}

/** Starts a provider process for all tests of the file, and stops it after them. */
export async function startFixture(name: FixtureName): Promise<FixtureProvider> {
  const child = spawn(process.execPath, [join(FIXTURES, 'providers', `${name}.mjs`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  afterAll(() => stop(child));
  const events: FixtureEvent[] = [];
  const waiting: {
    readonly fits: (event: FixtureEvent) => boolean;
    readonly take: (event: FixtureEvent) => void;
  }[] = [];
  const address = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as FixtureEvent | { readonly url: string };
    if ('url' in said) return address.resolve(said.url);
    const index = waiting.findIndex(({ fits }) => fits(said));
    if (index === -1) events.push(said);
    else waiting.splice(index, 1)[0]?.take(said);
  });
  const url = await address.promise;
  const ask = async <Answer>(path: string, method = 'GET'): Promise<Answer> =>
    (await (await fetch(`${url}${path}`, { method })).json()) as Answer;
  return {
    url,
    counts: () => ask('/counts'),
    last: () => ask('/last'),
    release: () => ask('/release', 'POST'),
    happened(event, model) {
      const fits = (one: FixtureEvent): boolean => one.event === event && one.model === model;
      const index = events.findIndex(fits);
      const [found] = index === -1 ? [] : events.splice(index, 1);
      return found ? Promise.resolve(found) : new Promise((take) => waiting.push({ fits, take }));
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
