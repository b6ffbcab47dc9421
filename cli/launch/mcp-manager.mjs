#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('runtime/targets/manager/main.ts');
