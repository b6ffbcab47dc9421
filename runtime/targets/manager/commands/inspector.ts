import { type Command, UsageError } from '#serve/cli/command.ts';
import { addressOf, DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `inspector`: runs the MCP inspector, connected to the manager. */
export const inspectorCommand: Command = {
  summary: 'Open the MCP inspector (from npm) for one server or for all.',
  positionals: '[server]',
  options: DAEMON_CLIENT_OPTIONS,
  async run(invocation, output) {
    const [server, extra] = invocation.positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    const path = server === undefined ? '/mcp' : `/mcp/${encodeURIComponent(server)}`;
    const endpoint = new URL(path, await addressOf(invocation));
    const apiKey = invocation.value('api-key');
    const { runInspector } = await import('../client/run-inspector.ts');
    return withManager(invocation, (manager) => runInspector(manager, { endpoint, apiKey }, output));
  },
};
