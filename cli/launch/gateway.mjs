#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('runtime/targets/gateway/main.ts');
