import { COMMON_FLAGS, type CommonFlag, type CommonFlagName } from '#core/cli/common-flags.ts';
import type { Option } from './command.ts';
import { entriesOf, recordOf } from '#core/values/keys.ts';

/** Common flags as one program offers them, with its own defaults and, where needed, more precise help texts. */
export function commonOptions<Name extends CommonFlagName>(
  own: Readonly<Record<Name, Partial<Option>>>,
): Record<Name, Option> {
  const options = entriesOf<Name, Partial<Option>>(own).map(([name, differing]): [Name, Option] => {
    const { aliases = [], ...flag }: CommonFlag = COMMON_FLAGS[name];
    const named = aliases
      .filter((alias) => !differing.aliases?.some((other) => other.name === alias))
      .map((alias) => ({ name: alias }));
    const all = [...named, ...(differing.aliases ?? [])];
    return [name, { ...flag, ...differing, ...(all.length > 0 ? { aliases: all } : {}) }];
  });
  return recordOf(options);
}
