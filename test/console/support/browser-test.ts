import { test as base } from 'vitest';
import { lacks } from '../../support/may-skip/list.ts';

/** A test that drives a browser. Where there is none, it is skipped. */
export const test = base.skipIf(lacks('browser'));
