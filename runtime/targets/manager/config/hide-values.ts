const HIDDEN = '***';

/** A value as lists show it: what is written out is hidden, what only names a variable is not. */
export function hideValue(value: string): string {
  return /^(?:\s*\$(?:\{\w+(?::-)?\}|\w+))*\s*$/.test(value) ? value : HIDDEN;
}

/** Arguments in which values of flags that sound like secrets are hidden. */
export function hideArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const [, flag, value] = /^(--?[^=]+=)([^]*)$/.exec(arg) ?? [];
    if (flag !== undefined && value !== undefined) return soundsSecret(flag) ? flag + hideValue(value) : arg;
    const before = args[index - 1] ?? '';
    return /^--?[^=]+$/.test(before) && soundsSecret(before) && !arg.startsWith('-') ? hideValue(arg) : arg;
  });
}

const soundsSecret = (flag: string): boolean =>
  /key|token|secret|password|passwd|credential|auth/i.test(flag);
