/** Arguments with others put in: a flag takes the place of the same flag, and operands that of all operands. */
export function mergeArgs(before: readonly string[], given: readonly string[]): string[] {
  const groups = groupArgs(given);
  const left = [...groups];
  const hasOperands = groups.some(({ flag }) => flag === undefined);
  const kept = groupArgs(before).flatMap((group) => {
    if (group.flag === undefined) return hasOperands ? [] : [group];
    const at = left.findIndex(({ flag }) => flag === group.flag);
    return at < 0 ? [group] : left.splice(at, 1);
  });
  return [...kept, ...left].flatMap(({ args }) => args);
}

/** Arguments without flags of these names and without operands that are these. */
export function withoutArgs(before: readonly string[], names: readonly string[]): string[] {
  return groupArgs(before)
    .filter(({ flag, args }) => !names.includes(flag ?? args[0] ?? ''))
    .flatMap(({ args }) => args);
}

interface ArgGroup {
  /** undefined: an operand. */
  readonly flag: string | undefined;
  readonly args: readonly string[];
}

/** What follows a flag without being one is taken as its value. */
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
