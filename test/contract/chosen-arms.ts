/** The modes in which a program can run. */
interface Arms<Arm> {
  /** From source, in the test process. */
  readonly inProcess: Arm;
  readonly executable: Arm;
  /** The executable where it can differ from the sources, otherwise the sources; without them, always the executable. */
  readonly sampled?: Arm;
}

const CHOICES = ['sampled', 'executable', 'in-process', 'both'] as const;

/**
 * The modes in which behaviors are verified. Without the variable `ARM`, this is the executable, which users run; each command runs only
 * once as the executable, because starting it takes longer than most commands. The in-process mode needs no build of the program and
 * supports breakpoints.
 */
export function chosenArms<Arm>({ inProcess, executable, sampled = executable }: Arms<Arm>): readonly Arm[] {
  const asked = process.env['ARM'] ?? 'sampled';
  const choice = CHOICES.find((name) => name === asked);
  if (choice === undefined) throw new Error(`ARM must be one of ${CHOICES.join(', ')}, not ${asked}.`);
  const arms = {
    sampled: [sampled],
    executable: [executable],
    'in-process': [inProcess],
    both: [inProcess, executable],
  };
  return arms[choice];
}
