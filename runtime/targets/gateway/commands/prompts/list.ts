import { isFailedStatus } from '../../accounts/ledger/ledger.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import type { PromptHead } from '../../accounts/prompts/prompt-log.ts';
import { promptHeadView } from '../../api/views/records.ts';
import { findKey } from '../keys/find-key.ts';
import { pastTimeOf } from '../options/time-options.ts';
import { formatSecond, orDash } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

export const listPromptsCommand = storeCommand({
  summary: 'List stored requests, without their texts.',
  options: {
    user: { value: 'user_id', help: 'Only requests of this user' },
    key: { value: 'id|name|prefix', help: 'Only requests with this key' },
    model: { value: 'model', help: 'Only requests to this model' },
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
    ...commonOptions({ limit: { help: 'Maximum number of requests', fallback: '20' } }),
  },
  prepare(invocation) {
    const now = Date.now();
    const named = {
      userId: invocation.value('user'),
      model: invocation.value('model'),
      from: pastTimeOf(invocation, 'from', now),
      to: pastTimeOf(invocation, 'to', now),
    };
    const key = invocation.value('key');
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    return async ({ state: { promptLog, identity }, output, json }) => {
      const keyId = key === undefined ? undefined : (await findKey(identity.keys, key)).id;
      const { total, prompts } = await promptLog.list({ ...named, keyId }, { skip: 0, limit });
      if (json) printJson(output, { total, items: prompts.map(promptHeadView) });
      else if (prompts.length === 0) output.err('No prompts found.\n');
      else printLines(output, formatTable(COLUMNS, prompts.map(rowOf), stdoutTerminal()));
    };
  },
});

const COLUMNS = ['TIME', 'REQUEST', 'USER', 'MODEL', 'ENDPOINT', 'STATUS'];

const rowOf = (prompt: PromptHead): Parameters<typeof formatTable>[1][number] => [
  formatSecond(prompt.at),
  prompt.request_id,
  orDash(prompt.user_id),
  prompt.model,
  prompt.endpoint,
  { text: prompt.status, style: isFailedStatus(prompt.status) ? 'red' : 'green' },
];
