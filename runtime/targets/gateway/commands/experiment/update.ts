import { UsageError } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';
import { requireChanges } from '../options/changes.ts';
import { experimentCommand } from './experiment-command.ts';

export const updateExperimentCommand = experimentCommand({
  summary: 'Change the name, the description or the tags of an experiment.',
  options: {
    name: { value: 'name', help: 'New name' },
    description: { value: 'text', help: 'New description' },
    tag: { value: 'tag', help: 'Tag, replacing the existing ones (repeatable)', repeatable: true },
    'no-tags': { help: 'Remove all tags' },
    ...JSON_OPTION,
  },
  prepare(invocation) {
    const tags = invocation.values('tag');
    if (tags.length > 0 && invocation.flag('no-tags'))
      throw new UsageError('--tag conflicts with --no-tags; use one of them.');
    const changes = {
      name: invocation.value('name'),
      description: invocation.value('description'),
      tags: tags.length > 0 || invocation.flag('no-tags') ? tags : undefined,
    };
    requireChanges(changes);
    return async ({ client, path, id, output }) => {
      const experiment = await client.json('PATCH', path, changes);
      if (invocation.flag('json')) printJson(output, experiment);
      else output.out(`${id}\n`);
      return 0;
    };
  },
});
