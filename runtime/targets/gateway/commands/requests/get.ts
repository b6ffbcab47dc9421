import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { notFound } from '../../accounts/identity/checks.ts';
import { usageLogView } from '../../api/views/records.ts';
import type { UsageRow } from '../../store/schema.ts';
import { formatDollars, formatSecond, orDash } from '../show/format-values.ts';
import { recordLines } from '../show/record-lines.ts';
import { storeCommand } from '../store/store-command.ts';

export const getRequestCommand = storeCommand({
  summary: 'Show a past request with its attempts and the reason of each failure.',
  positionals: '<id>',
  options: {},
  prepare(invocation) {
    const [id] = exactly(invocation, '<id>');
    return async ({ state: { requests }, output, json }) => {
      const rows = await requests.attempts(id);
      if (rows.length === 0) throw notFound(`Request '${id}' not found`, 'request_not_found');
      if (json)
        printJson(
          output,
          rows.map((row) => usageLogView(row, true)),
        );
      else
        printLines(
          output,
          rows.flatMap((row, at) => [...(at === 0 ? [] : ['']), ...linesOf(row)]),
        );
    };
  },
});

const linesOf = (row: UsageRow): string[] =>
  recordLines({
    attempt: String(row.attempt),
    time: formatSecond(row.timestamp),
    request: orDash(row.request_id),
    user: orDash(row.user_id),
    key: orDash(row.api_key_id),
    model: row.model,
    endpoint: row.endpoint,
    status: row.status === 'error' ? `error ${row.status_code ?? ''}` : row.status,
    ...(row.error_message !== null && { error: row.error_message }),
    ...(row.error_detail !== null && { reason: row.error_detail }),
    tokens: `${orDash(row.prompt_tokens)} in, ${orDash(row.completion_tokens)} out`,
    cost: row.cost_nano === null ? '-' : formatDollars(row.cost_nano),
    'duration ms': orDash(row.latency_ms),
    'first output ms': orDash(row.ttft_ms),
  });
