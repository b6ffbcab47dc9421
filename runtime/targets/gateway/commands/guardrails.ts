import type { CommandGroup } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { hitView } from '../api/views/records.ts';
import { HIT_MODES } from '../shared/record-words.ts';
import type { GuardrailHitRow } from '../store/record-schema.ts';
import { pastRangeOf } from './options/time-options.ts';
import { formatSecond, orDash } from './show/format-values.ts';
import { storeCommand } from './store/store-command.ts';

const guardrailHitsCommand = storeCommand({
  summary: 'List texts that guardrails flagged or masked, newest first, without the texts.',
  options: {
    profile: { value: 'name', help: 'Only hits from this guardrail' },
    mode: { value: 'mode', help: 'Only hits with this mode', choices: HIT_MODES },
    user: { value: 'user_id', help: 'Only requests from this user' },
    from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
    to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
    ...commonOptions({ limit: { help: 'Maximum number of hits', fallback: '20' } }),
  },
  prepare(invocation) {
    const now = Date.now();
    const filter = {
      profile: invocation.value('profile'),
      mode: invocation.value('mode'),
      userId: invocation.value('user'),
      ...pastRangeOf(invocation, now),
    };
    const limit = requiredNumber(invocation, 'limit', { min: 1, max: 100_000 });
    return async ({ state: { guardrailHits }, output, json }) => {
      const { total, hits } = await guardrailHits.list(filter, { skip: 0, limit });
      if (json) {
        printJson(output, { total, items: hits.map(hitView) });
      } else if (hits.length === 0) output.err('No hits found.\n');
      else printLines(output, formatTable(COLUMNS, hits.map(rowOf), stdoutTerminal()));
    };
  },
});

const COLUMNS = ['TIME', 'GUARDRAIL', 'MODE', 'IN', 'SCORE', 'USER', 'MODEL', 'EXPLANATION'];

const rowOf = (hit: GuardrailHitRow): string[] => [
  formatSecond(hit.at),
  hit.profile,
  hit.mode,
  hit.place,
  orDash(hit.score),
  orDash(hit.user_id),
  hit.model,
  hit.explanation,
];

export const GUARDRAIL_COMMANDS: CommandGroup = {
  summary: 'Show guardrail hits.',
  commands: { hits: guardrailHitsCommand },
};
