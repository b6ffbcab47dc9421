import type { Member } from './member.ts';
import { ELEMENTWISE } from './members/elementwise.ts';
import { FUNCTIONAL } from './members/functional.ts';
import { CONSTRUCTORS } from './members/constructors.ts';
import { OPERATORS } from './members/operators.ts';
import { REDUCTIONS } from './members/reductions.ts';
import { SHAPE_MEMBERS } from './members/shape.ts';
import { VECTORS } from './members/vectors.ts';

/** All tensor operations for scripts. */
export const MEMBERS: readonly Member[] = [
  ...CONSTRUCTORS,
  ...SHAPE_MEMBERS,
  ...VECTORS,
  ...REDUCTIONS,
  ...ELEMENTWISE,
  ...FUNCTIONAL,
  ...OPERATORS,
];
