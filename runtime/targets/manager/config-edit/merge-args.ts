/** Merges arguments: a flag replaces the same flag, and positional arguments replace all positional arguments. */
export function mergeArgs(before: readonly string[], added: readonly string[]): string[] {
  const groups = groupArgs(added);
  const left = [...groups];
  const hasOperands = groups.some(({ flag }) => flag === undefined);
  const kept = groupArgs(before).flatMap((group) => {
    if (group.flag === undefined) return hasOperands ? [] : [group];
    const at = left.findIndex(({ flag }) => flag === group.flag);
    return at < 0 ? [group] : left.splice(at, 1);
  });
  return [...kept, ...left].flatMap(({ args }) => args);
}

/** Removes flags by name, and positional arguments by value. */
export function withoutArgs(before: readonly string[], names: readonly string[]): string[] {
  return groupArgs(before)
    .filter(({ flag, args }) => !names.includes(flag ?? args[0] ?? ''))
    .flatMap(({ args }) => args);
}

interface ArgGroup {
  /** The flag's name; undefined for a positional argument. */
  readonly flag: string | undefined;
  readonly args: readonly string[];
}

/** Groups flags with their values. An argument that follows a flag and is not itself a flag counts as its value. */
function groupArgs(args: readonly string[]): ArgGroup[] {
  const groups: ArgGroup[] = [];
  for (const arg of args) {
    const latest = groups.at(-1);
    const takesValue =
      latest?.flag !== undefined && latest.args.length === 1 && latest.args[0] === latest.flag;
    if (/^--?[^-]/.test(arg)) groups.push({ flag: arg.split('=', 1)[0], args: [arg] });
    else if (takesValue) groups.splice(-1, 1, { flag: latest.flag, args: [...latest.args, arg] });
    else groups.push({ flag: undefined, args: [arg] });
  }
  return groups;
}
