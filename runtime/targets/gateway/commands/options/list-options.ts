import type { Invocation, Option } from '#serve/cli/command.ts';
import { type Order, orderOf, orderWords } from '../../shared/order.ts';

/** Options of commands that list what a database has. */
export const listOptions = (plural: string, members: string, orders: readonly string[]) =>
  ({
    search: { value: 'text', help: `Only ${plural} whose ${members} contains this text, in any case` },
    sort: {
      value: 'field',
      help: 'Sort by this field; --sort=-field for descending order',
      defaultText: 'order of creation',
      choices: orderWords(orders),
    },
  }) satisfies Readonly<Record<string, Option>>;

/** Reads these options. */
export const listOptionsOf = <Name extends string>(
  invocation: Invocation,
  orders: readonly Name[],
): { readonly search: string | undefined; readonly order: Order<Name> | undefined } => ({
  search: invocation.value('search'),
  order: orderOf(invocation.value('sort'), orders),
});

/** The option that selects users, teams or organizations by their status. */
export const accountStatusOption = (plural: string, statuses: readonly string[]) =>
  ({
    status: { value: 'status', help: `Only ${plural} with this status`, choices: statuses },
  }) satisfies Readonly<Record<string, Option>>;
