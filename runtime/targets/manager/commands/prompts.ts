import { type Command, UsageError } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';
import { atLeast } from '#serve/cli/positionals.ts';
import { searchOptions, serverOrSearch } from './search-options.ts';

export const promptsCommand: Command = {
  summary: "List a server's prompts, or search the prompts of all servers.",
  positionals: '[server]',
  options: { ...searchOptions('prompts'), ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const wanted = serverOrSearch(invocation);
    const { showPrompts } = await import('../client/prompts.ts');
    return withManager(invocation, (manager) =>
      showPrompts(manager, { ...wanted, json: isJson(invocation) }, output),
    );
  },
};

export const promptCommand: Command = {
  summary: 'Fill in a prompt and print its messages.',
  positionals: '<server> <prompt> [key=value ...]',
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<prompt>');
    const [server, prompt] = first;
    const args = Object.fromEntries(rest.map(pair));
    const { fillPrompt } = await import('../client/prompts.ts');
    return withManager(invocation, (manager) =>
      fillPrompt(manager, { server, prompt, args, json: isJson(invocation) }, output),
    );
  },
};

function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${JSON.stringify(text)} must have the form key=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
