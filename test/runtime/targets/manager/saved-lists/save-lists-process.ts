import { Writable } from 'node:stream';
import { openSavedLists } from '#manager/saved-lists/saved-lists.ts';
import { createLog } from '#serve/log.ts';

/** Saves lists of changing size until the process is killed or has saved them often enough: FOLDER IDENTITY LABEL [ROUNDS]. */
const [, , folder = '', identity = '', label = '', rounds = 'Infinity'] = process.argv;
const log = createLog(
  'warn',
  new Writable({ write: (line, _encoding, done) => done(process.stderr.write(line) ? null : null) }),
);
const saved = openSavedLists(folder, log);
const peer = { protocolVersion: '2025-11-25', name: label, version: '1', capabilities: { tools: {} } };
process.stdout.write('saving\n');
for (let round = 0; round < Number(rounds); round += 1) {
  const items = Array.from({ length: (round % 7) * 400 }, (_, at) => ({
    name: `${label}-${at}`,
    inputSchema: { type: 'object' },
  }));
  const list = { items, faults: [], listedAt: round };
  await saved.save('server', { identity, peer, lists: { tools: list } });
}
