/** The ways to run a program. */
interface Arms<Arm> {
  /** Its sources, in the process of the test. */
  readonly inProcess: Arm;
  readonly executable: Arm;
  /** The executable where it can differ from the sources, else the sources; without it, always the executable. */
  readonly sampled?: Arm;
}

const CHOICES = ['sampled', 'executable', 'in-process', 'both'] as const;

/**
 * The arms that the behaviors are verified on. Without the variable `ARM` that is the executable, which is what users get; of
 * commands, each is run once as the executable, because starting it takes longer than all that most commands do.
 * The in-process arm needs no build of the program and stops at breakpoints.
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
