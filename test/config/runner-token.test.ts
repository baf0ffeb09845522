import { describe, expect, it } from '@jest/globals'
import { readConfig } from '../../lib/config/config.ts'
import { createSharedRunnerToken } from '../../lib/tokens/shared-runner-token.ts'

const RANDOM = '9b1c2d3e4f5061728394a5b6c7d8e9f0'

describe('the token of all runners', () => {
  it.each([
    ['short', RANDOM.slice(1)],
    ['a word that is repeated', 'changeme'.repeat(4).replaceAll('h', 'c')],
    ['one character', 'x'.repeat(64)],
    ['a sentence', 'a secret that nobody can guess at all'],
    ['long', RANDOM.repeat(32)],
  ])('is not %s', (_which, RUNNER_TOKEN) => {
    expect(() => readConfig({ RUNNER_TOKEN })).toThrow('RUNNER_TOKEN: must')
  })

  it('is masked, and read without the line break of its file', () => {
    const { RUNNER_TOKEN, secrets } = readConfig({ RUNNER_TOKEN: `${RANDOM}\n` })
    expect(RUNNER_TOKEN).toBe(RANDOM)
    expect(secrets).toContain(RANDOM)
  })

  it.each([
    [RANDOM, RANDOM, true],
    [RANDOM, `${RANDOM}0`, false],
    [RANDOM, '', false],
    [undefined, '', false],
    [undefined, 'undefined', false],
    // What an API token may do ends when it is revoked, also where it is the setting of both programs.
    [`svc_${RANDOM}`, `svc_${RANDOM}`, false],
  ])('%s: %s is it: %s', (setting, text, isIt) => {
    expect(createSharedRunnerToken(setting).principal(text) !== undefined).toBe(isIt)
  })
})
