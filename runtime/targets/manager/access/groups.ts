import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#contract/errors.ts';
import type { GroupSpec } from '../config/group-spec.ts';
import type { McpMode } from '../config/mcp-mode.ts';
import { serverName } from '../config/server-name.ts';
import type { ToolCaller } from './caller.ts';
import { keyCaller } from './key-caller.ts';

/** The contents of a group, expressed as permissions. */
type Members = Pick<ToolCaller, 'canUse' | 'canRead'>;

/** The configured groups. A reload replaces them. */
export interface CallerGroups {
  /** Whether any of the groups contains the server, or the item on it. Unknown groups are empty. */
  readonly allow: (names: readonly string[], check: (members: Members) => boolean) => boolean;
  /**
   * Returns the caller restricted to the servers and items of a group. Throws if the group does not exist or
   * the caller is not allowed to use it.
   */
  readonly enter: (caller: ToolCaller, name: string) => ToolCaller;
  readonly replace: (specs: readonly GroupSpec[]) => void;
  /** Returns the configured groups. */
  readonly all: () => readonly GroupSpec[];
  /** Adds a change listener. */
  readonly onChange: (listener: () => void) => void;
}

export function createCallerGroups(initial: readonly GroupSpec[] = []): CallerGroups {
  let specs = initial;
  let members = membersOf(specs);
  let modes = modesOf(specs);
  const listeners: (() => void)[] = [];
  const allow: CallerGroups['allow'] = (names, check) =>
    names.some((name) => {
      const found = members.get(name);
      return found !== undefined && check(found);
    });
  return {
    allow,
    enter(caller, written) {
      const group = serverName(written);
      // Checked first, so that a key restricted to some groups cannot probe for others.
      if (caller.groups?.includes(group) === false) {
        throw new AppError('ForbiddenError', `group not allowed: ${written}`);
      }
      if (!members.has(group)) throw new AppError('NotFoundError', `group not found: ${written}`);
      return {
        ...caller,
        group,
        isLimited: true,
        // The mode of the key takes precedence.
        mcpMode: caller.mcpMode ?? modes.get(group),
        canUse: (...item) => caller.canUse(...item) && allow([group], (one) => one.canUse(...item)),
        canRead: (...item) => caller.canRead(...item) && allow([group], (one) => one.canRead(...item)),
      };
    },
    replace(latest) {
      if (isDeepStrictEqual(specs, latest)) return;
      specs = latest;
      members = membersOf(specs);
      modes = modesOf(specs);
      for (const listener of listeners) listener();
    },
    all: () => specs,
    onChange: (listener) => void listeners.push(listener),
  };
}

const modesOf = (specs: readonly GroupSpec[]): ReadonlyMap<string, McpMode | undefined> =>
  new Map(specs.map(({ name, mcpMode }) => [name, mcpMode]));

const membersOf = (specs: readonly GroupSpec[]): Map<string, Members> =>
  new Map(specs.map((spec) => [spec.name, keyCaller({ ...spec, admin: false, readOnly: false })]));
