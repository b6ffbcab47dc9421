import type { CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines, stdoutTerminal, printText } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { isFailedStatus, THUMBS, USAGE_STATUSES } from '../shared/record-words.ts';
import type { PromptHead } from '../accounts/prompts/prompt-log.ts';
import { promptView, promptHeadView } from '../api/views/records.ts';
import type { PromptRow } from '../store/record-schema.ts';
import { findKey } from './store/find-account.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatSecond, orDash, recordLines } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const getPromptCommand = storeCommand({
  summary: 'Show a stored request and its response. Reading it is recorded in the audit log.',
  positionals: '<request_id>',
  options: {},
  prepare(invocation) {
    const [requestId] = exactly(invocation, '<request_id>');
    return async ({ state: { promptLog }, output, json }) => {
      const prompts = await promptLog.read(requestId);
      if (json) printJson(output, prompts.map(promptView));
      else printText(output, `${prompts.flatMap(linesOf).join('\n')}\n`);
    };
  },
});

const linesOf = (prompt: PromptRow): string[] => [
  ...recordLines({
    time: formatSecond(prompt.at),
    user: orDash(prompt.user_id),
    key: orDash(prompt.api_key_id),
    model: prompt.model,
    endpoint: prompt.endpoint,
    status: prompt.status,
    cut: prompt.truncated === 1 ? 'yes' : 'no',
  }),
  '',
  prompt.request,
  '',
  prompt.answer ?? '(no answer)',
];

const listPromptsCommand = storeCommand({
  summary: 'List stored requests, without their texts.',
  options: {
    user: { value: 'user_id', help: 'Only requests from this user' },
    key: { value: 'id|name|prefix', help: 'Only requests with this key' },
    model: { value: 'model', help: 'Only requests to this model' },
    tag: { value: 'tag', help: 'Only requests with this tag' },
    status: { value: 'status', help: 'Only requests with this outcome', choices: USAGE_STATUSES },
    thumb: { value: 'thumb', help: 'Only requests with this thumb in their feedback', choices: THUMBS },
    label: { value: 'label', help: 'Only requests with this label in their feedback' },
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
    ...commonOptions({ limit: { help: 'Maximum number of requests', fallback: '20' } }),
  },
  prepare(invocation) {
    const now = Date.now();
    const named = {
      userId: invocation.value('user'),
      model: invocation.value('model'),
      tag: invocation.value('tag'),
      status: USAGE_STATUSES.find((one) => one === invocation.value('status')),
      thumb: THUMBS.find((one) => one === invocation.value('thumb')),
      label: invocation.value('label'),
      ...pastRangeOf(invocation, now),
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

export const PROMPT_COMMANDS: CommandGroup = {
  summary: 'Show stored requests and responses.',
  commands: { list: listPromptsCommand, get: getPromptCommand },
};
