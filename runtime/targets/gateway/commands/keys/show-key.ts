import type { Output } from '#serve/cli/command.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { createdKeyView, keyView } from '../../api/views/accounts.ts';
import type { Key } from '../../accounts/identity/identity.ts';
import { limitRecord } from '../show/limit-record.ts';
import { recordLines } from '../show/record-lines.ts';
import {
  budgetText,
  formatDollars,
  formatTime,
  modelsText,
  orDash,
  thresholdsText,
} from '../show/format-values.ts';
import type { StoreContext } from '../store/store-command.ts';

/** Prints everything about a key except its secret. */
export function showKey(key: Key, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, keyView(key));
  else printLines(output, recordLines(recordOf(key)));
}

/** Prints only the secret to stdout, so that scripts can capture it. With `--json`, it is a member of the key. */
export function showSecret(
  created: { readonly key: Key; readonly secret: string },
  message: string,
  { output, json }: { readonly output: Output; readonly json: boolean },
): void {
  output.err(`${message} The key is shown only once:\n`);
  if (json) printJson(output, createdKeyView(created));
  else output.out(`${created.secret}\n`);
}

const recordOf = (key: Key): Record<string, string> => ({
  id: key.id,
  name: orDash(key.keyName),
  key: `${key.keyPrefix}…`,
  user: key.userId,
  team: orDash(key.teamId),
  scope: key.scope,
  status: key.status,
  models: modelsText(key.allowedModels),
  spent: formatDollars(key.spent),
  budget: key.budget === null ? '-' : budgetText(key.budget),
  'alerts at': key.budget === null ? '-' : thresholdsText(key.budget.alertThresholds),
  ...limitRecord(key),
  'prompts stored': key.logPrompts === null ? 'default' : key.logPrompts ? 'on' : 'off',
  created: formatTime(key.createdAt),
  expires: formatTime(key.expiresAt),
  'last used': formatTime(key.lastUsedAt),
  metadata: JSON.stringify(key.metadata),
});
