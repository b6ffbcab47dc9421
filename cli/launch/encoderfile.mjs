#!/usr/bin/env node
import { launch } from './launch.mjs';

launch('cli/bin.ts');
