/** The two ways to run a program: its sources in the process of the test, and its executable. */
interface Arms<Arm> {
  readonly inProcess: Arm;
  readonly executable: Arm;
}

const CHOICES = ['executable', 'in-process', 'both'] as const;

/**
 * The arms that the behaviors are verified on: the executable, which is what users get, unless the variable `ARM` names another.
 * The in-process arm needs no build of the program and stops at breakpoints.
 */
export function chosenArms<Arm>({ inProcess, executable }: Arms<Arm>): readonly Arm[] {
  const asked = process.env['ARM'] ?? 'executable';
  const choice = CHOICES.find((name) => name === asked);
  if (choice === undefined) throw new Error(`ARM must be one of ${CHOICES.join(', ')}, not ${asked}.`);
  if (choice === 'both') return [inProcess, executable];
  return choice === 'in-process' ? [inProcess] : [executable];
}
