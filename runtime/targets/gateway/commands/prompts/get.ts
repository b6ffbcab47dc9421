import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { promptView } from '../../api/views/records.ts';
import type { PromptRow } from '../../store/record-schema.ts';
import { formatSecond, orDash } from '../show/format-values.ts';
import { recordLines } from '../show/record-lines.ts';
import { storeCommand } from '../store/store-command.ts';

export const getPromptCommand = storeCommand({
  summary: 'Show a stored request and its answer. That it was read is recorded in the audit log.',
  positionals: '<request_id>',
  options: {},
  prepare(invocation) {
    const [requestId] = exactly(invocation, '<request_id>');
    return async ({ state: { promptLog }, output, json }) => {
      const prompts = await promptLog.read(requestId);
      if (json) printJson(output, prompts.map(promptView));
      else printLines(output, prompts.flatMap(linesOf));
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
