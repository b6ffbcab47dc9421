import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import type { ServingEngine } from '#encoder/engine/serving.ts';
import { engineFor, withStaticForm } from '#encoder/engine/staged-engine.ts';
import type { Model } from '#encoder/model.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';

const unused = (): never => {
  throw new Error('not for these tests');
};
const BOTH = { name: 'both', staticForm: {} } as Partial<Manifest>;

interface Options {
  /** The attempts to open the form that fail. */
  readonly failing?: number;
  readonly isStillThere?: () => boolean;
}

/** A model with both forms, whose static form is opened by a stand-in. */
function stage({ failing = 0, isStillThere = () => true }: Options = {}) {
  const closed: string[] = [];
  const state = { opened: 0, onEnd: (): void => {} };
  const named = (name: string): ServingEngine => ({
    ...standInEngine(BOTH, unused),
    close: () => Promise.resolve(void closed.push(name)),
  });
  const model = { path: 'm.encoder', isStillThere, openStaticForm: () => model } as unknown as Model;
  const engine = withStaticForm(named('exact'), model, async (_, onEnd) => {
    state.opened += 1;
    state.onEnd = onEnd;
    await Promise.resolve();
    if (state.opened <= failing) throw new Error(`attempt ${state.opened}`);
    return named(`fast ${state.opened}`);
  });
  return { engine, state, closed };
}

test('the static form is opened once, by the first request for it', async () => {
  const { engine, state, closed } = stage();
  expect(engine.stage).toBe('exact');
  expect(await engineFor(engine, undefined)).toBe(engine);
  expect(await engineFor(engine, 'exact')).toBe(engine);
  expect({ opened: state.opened, stats: engine.stats() }).toEqual({
    opened: 0,
    stats: { queued: 0, workers: 1 },
  });
  const [first, second] = await Promise.all([engineFor(engine, 'fast'), engineFor(engine, 'fast')]);
  expect(first).toBe(second);
  expect(first.stage).toBe('fast');
  expect({ opened: state.opened, stats: engine.stats() }).toEqual({
    opened: 1,
    stats: { queued: 0, workers: 2 },
  });
  await engine.close();
  expect(closed.toSorted()).toEqual(['exact', 'fast 1']);
});

test('after a failure, the next request opens it again', async () => {
  const { engine, state, closed } = stage({ failing: 1 });
  await expect(engineFor(engine, 'fast')).rejects.toThrow('attempt 1');
  expect((await engineFor(engine, 'fast')).stage).toBe('fast');
  expect(state.opened).toBe(2);
  await engine.close();
  expect(closed.toSorted()).toEqual(['exact', 'fast 2']);
});

test('when its threads have ended, only the static form is opened again', async () => {
  const { engine, state } = stage();
  await engineFor(engine, 'fast');
  state.onEnd();
  expect(engine.stats().workers).toBe(1);
  await engineFor(engine, 'fast');
  expect(state.opened).toBe(2);
});

test('it closes while the form is being opened, and after it could not be opened', async () => {
  const opening = stage();
  void engineFor(opening.engine, 'fast');
  await opening.engine.close();
  expect(opening.closed.toSorted()).toEqual(['exact', 'fast 1']);
  const failed = stage({ failing: 9 });
  await expect(engineFor(failed.engine, 'fast')).rejects.toThrow('attempt 1');
  await failed.engine.close();
  expect(failed.closed).toEqual(['exact']);
});

test('a file that was replaced is not opened', async () => {
  const { engine, state } = stage({ isStillThere: () => false });
  await expect(engineFor(engine, 'fast')).rejects.toThrow(
    'The static form cannot be opened, because m.encoder was replaced or removed. Restart the server.',
  );
  expect(state.opened).toBe(0);
});

test('a model with one form stays as it is', () => {
  const engine = standInEngine({ name: 'one' }, unused);
  expect(withStaticForm(engine, { openStaticForm: undefined } as Model, unused)).toBe(engine);
  expect(() => engineFor(engine, 'fast')).toThrow('but one has no static form');
});
