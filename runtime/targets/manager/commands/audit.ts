import type { Command } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `audit`: prints the latest audit log entries of the running manager. */
export const callAuditCommand: Command = {
  summary: 'Show the latest calls in the audit log of the running manager.',
  options: {
    lines: { short: 'n', value: 'count', help: 'Maximum number of calls', fallback: '50' },
    server: { value: 'name', help: 'Only calls to this server' },
    caller: { value: 'name', help: 'Only calls made with the key of this name' },
    outcome: { value: 'outcome', help: 'Only calls with this outcome', choices: ['ok', 'failed'] },
    ...JSON_OPTION,
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const limit = String(requiredNumber(invocation, 'lines', { min: 1, max: 500 }));
    const filters = ['server', 'caller', 'outcome'].flatMap((name) => {
      const value = invocation.value(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const query = { limit, ...Object.fromEntries(filters) };
    const { showAudit } = await import('../client/show-audit.ts');
    return await withManager(invocation, (manager) =>
      showAudit(manager, { query, json: isJson(invocation) }, output),
    );
  },
};
