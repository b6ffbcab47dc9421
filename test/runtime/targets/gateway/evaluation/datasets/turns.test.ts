import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDatasets } from '#gateway/evaluation/datasets/datasets.ts';
import { describeDatabases } from '../../databases.ts';
import { createTestClock } from '../../test-clock.ts';

const ROWS = 60_000;
/** Files of many short rows that have already arrived completely. */
const FILES = {
  'a.csv': `examples\n${'a\n'.repeat(ROWS)}`,
  'a.jsonl': '{"examples":"a"}\n'.repeat(ROWS),
};

function stopper() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describeDatabases((database) => {
  test.each(Object.entries(FILES))(
    'the event loop is not blocked while %s is stored',
    async (filename, text) => {
      const store = await database.openStore(await database.create());
      const datasets = createDatasets(store, { clock: createTestClock(), maxBytes: 10_000_000 });
      const bytes = Readable.from([Buffer.from(text)]);
      let turns = 0;
      const { signal, abort } = stopper();
      const others = (async () => {
        for (; !signal.aborted; turns += 1) await nextTurn();
      })();
      const { rowCount } = await datasets.upload({ filename, bytes, owner: null }).finally(abort);
      await others;
      expect(rowCount).toBe(ROWS);
      expect(turns).toBeGreaterThan(20);
    },
  );
});
