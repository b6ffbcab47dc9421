import { BaseAdd } from './commands/base/add.ts';
import { BaseList } from './commands/base/list.ts';
import { BaseRemove } from './commands/base/remove.ts';
import { Build } from './commands/build.ts';
import { CacheList } from './commands/cache/list.ts';
import { CacheRemove } from './commands/cache/remove.ts';
import { Completion } from './commands/completion.ts';
import { ExportScript } from './commands/export-script.ts';
import { ExtractLibraries } from './commands/extract-libraries.ts';
import { Init } from './commands/init.ts';
import { Inspect } from './commands/inspect.ts';
import { Licenses } from './commands/licenses.ts';
import { Pull } from './commands/pull.ts';
import { Run } from './commands/run.ts';
import { SchemaCommand } from './commands/schema.ts';
import { TargetBuild } from './commands/target/build.ts';
import { TransformNew } from './commands/transform/new.ts';
import { TransformTest } from './commands/transform/test.ts';
import { Try } from './commands/try.ts';
import { ValidateCommand } from './commands/validate.ts';
import { Verify } from './commands/verify.ts';
import { Version } from './commands/version.ts';

/** The commands of `encoderfile` for oclif, listed explicitly so that no folders are scanned. */
export const COMMANDS = {
  'base:add': BaseAdd,
  'base:list': BaseList,
  'base:remove': BaseRemove,
  build: Build,
  'cache:list': CacheList,
  'cache:remove': CacheRemove,
  completion: Completion,
  'export-script': ExportScript,
  'extract-libraries': ExtractLibraries,
  init: Init,
  inspect: Inspect,
  licenses: Licenses,
  pull: Pull,
  run: Run,
  schema: SchemaCommand,
  'target:build': TargetBuild,
  'transform:new': TransformNew,
  'transform:test': TransformTest,
  try: Try,
  validate: ValidateCommand,
  verify: Verify,
  version: Version,
};
