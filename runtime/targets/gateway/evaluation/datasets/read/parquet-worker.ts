import { serveWorker } from '#platform/worker-server.ts';
import type { Row } from '../dataset.ts';
import { fixArrays } from './fixed-arrays.ts';
import { parquetRows } from './parquet-rows.ts';
import type { ParquetRequest } from './parquet-requests.ts';

/** Rows of one reply. A reply is copied as a whole. */
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 4_000_000;

let rows: ReturnType<typeof parquetRows> | undefined;

fixArrays();
serveWorker({
  open({ path, hasLabelNames }: ParquetRequest & { kind: 'open' }) {
    rows = parquetRows(path, hasLabelNames);
    return { reply: undefined };
  },
  async rows() {
    const reply: Row[] = [];
    let characters = 0;
    const next = rows;
    if (!next) return { reply };
    while (reply.length < MAX_ROWS && characters < MAX_CHARACTERS) {
      const { done, value } = await next.next();
      if (done === true) break;
      reply.push(value.row);
      characters += value.characters;
    }
    return { reply };
  },
});
