import { exactly } from '../../../../serve/cli/positionals.ts';
import { parseSpan } from '../../../../core/time/time-span.ts';
import { optionValue } from '../options/option-value.ts';
import { spanRule } from '../options/span-rule.ts';
import { storeCommand } from '../store/store-command.ts';
import { findKey } from './find-key.ts';
import { showSecret } from './show-key.ts';

/** `keys rotate`: a new secret for the same key, its limits and its accounts. */
export const rotateKeyCommand = storeCommand({
  summary: 'Give a key a new secret, which alone goes to stdout.',
  positionals: '<id|name|prefix>',
  options: {
    grace: { value: 'time', help: 'How long the old one works on, as 1h; else not at all' },
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    const grace = optionValue(invocation, 'grace', {
      rule: spanRule('a number and s, m, h, d or w, as 1h'),
      parse: parseSpan,
    });
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      const made = await identity.keys.rotate(id, (grace ?? 0) / 1000);
      const old = grace
        ? `the old one works on for ${invocation.value('grace')}`
        : 'the old one works no more';
      showSecret(made, `Key ${id} has a new secret; ${old}.`, { output, json });
    };
  },
});
