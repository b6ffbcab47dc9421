import { COMMON_FLAGS, type CommonFlagName } from '#core/cli/common-flags.ts';
import type { Option } from './command.ts';
import { entriesOf, recordOf } from '#core/values/keys.ts';

/**
 * The common flags that a program offers, with the program's own defaults and, where needed, more
 * precise help texts.
 */
export const commonOptions = <Name extends CommonFlagName>(
  own: Readonly<Record<Name, Partial<Option>>>,
): Record<Name, Option> =>
  recordOf(
    entriesOf<Name, Partial<Option>>(own).map(([name, differing]): [Name, Option] => [
      name,
      { ...COMMON_FLAGS[name], ...differing },
    ]),
  );
