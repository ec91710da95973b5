import { userInfo } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { resolveHomeDirectory } from '../../../src/service/config/home-directory.ts';

afterEach(() => void vi.unstubAllEnvs());

test.each([
  ['/h', '/h', 'it is absolute'],
  ['h', userInfo().homedir, 'files must not lie in the working directory'],
  ['.', userInfo().homedir, 'that is the working directory'],
])('with HOME set to %j the home directory is %j, because %s', (home, expected, _because) => {
  vi.stubEnv('HOME', home);
  expect(resolveHomeDirectory()).toBe(expected);
});
