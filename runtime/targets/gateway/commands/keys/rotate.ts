import { exactly } from '#serve/cli/positionals.ts';
import { parseSpan } from '#core/time/time-span.ts';
import { optionValue } from '../options/option-value.ts';
import { spanRule } from '../options/span-rule.ts';
import { storeCommand } from '../store/store-command.ts';
import { findKey } from './find-key.ts';
import { showSecret } from './show-key.ts';

/** `keys rotate` replaces the secret of a key, which keeps its limits and its spending. */
export const rotateKeyCommand = storeCommand({
  summary: 'Replace the secret of a key. Only the new key is printed to stdout.',
  positionals: '<id|name|prefix>',
  options: {
    grace: { value: 'time', help: 'How long the old secret stays valid, e.g. 1h (default: not at all)' },
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    const grace = optionValue(invocation, 'grace', {
      rule: spanRule('a number with a unit s, m, h, d or w, e.g. 1h'),
      parse: parseSpan,
    });
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      const rotated = await identity.keys.rotate(id, (grace ?? 0) / 1000);
      const old = grace
        ? `the old one stays valid for ${invocation.value('grace')}`
        : 'the old one is no longer valid';
      showSecret(rotated, `Key ${id} has a new secret; ${old}.`, { output, json });
    };
  },
});
