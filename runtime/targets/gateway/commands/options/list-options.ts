import type { Invocation, Option } from '#serve/cli/command.ts';
import { type Order, orderOf, orderWords } from '../../shared/order.ts';

/** Options for commands that list database objects. */
export const listOptions = (plural: string, members: string, orders: readonly string[]) =>
  ({
    search: { value: 'text', help: `Only ${plural} whose ${members} contains this text, case-insensitively` },
    sort: {
      value: 'field',
      help: 'Sort by this field; --sort=-field for descending order',
      defaultText: 'order of creation',
      choices: orderWords(orders),
    },
  }) satisfies Readonly<Record<string, Option>>;

/** Parses the list options. */
export const listOptionsOf = <Name extends string>(
  invocation: Invocation,
  orders: readonly Name[],
): { readonly search: string | undefined; readonly order: Order<Name> | undefined } => ({
  search: invocation.value('search'),
  order: orderOf(invocation.value('sort'), orders),
});

/** The option that filters users, teams or organizations by status. */
export const accountStatusOption = (plural: string, statuses: readonly string[]) =>
  ({
    status: { value: 'status', help: `Only ${plural} with this status`, choices: statuses },
  }) satisfies Readonly<Record<string, Option>>;
